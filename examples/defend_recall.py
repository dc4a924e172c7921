"""Plan a sample for a review, draw it, and state the recall that it shows.

python examples/defend_recall.py            # an invented review of 100,000 documents
"""

from __future__ import annotations

import numpy as np

import irbounds as irb

TARGET = 0.8


def invent(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Which of the retrieved and of the unretrieved documents are relevant, which nobody knows."""
    return rng.random(12_000) < 0.72, rng.random(88_000) < 0.012


def assess(segment: np.ndarray, sampled: int, rng: np.random.Generator) -> irb.Stratum:
    """Draw a simple random sample without replacement, and have it assessed."""
    return irb.Stratum(
        segment.size, sampled, int(rng.choice(segment, sampled, replace=False).sum())
    )


def main() -> None:
    """Plan, draw, state."""
    rng = np.random.default_rng(1)
    segments = invent(rng)
    review = irb.AssumedReview(100_000, segments[0].size, recall=0.9, precision=0.7)
    plan = irb.sample_size(review, target=TARGET, probability=0.9)
    print(
        f"plan: {plan.retrieved_sample} retrieved and {plan.unretrieved_sample} unretrieved "
        "documents"
    )

    retrieved, unretrieved = (
        assess(segment, sampled, rng)
        for segment, sampled in zip(
            segments, (plan.retrieved_sample, plan.unretrieved_sample), strict=True
        )
    )
    print(
        f"found: {retrieved.relevant} relevant of {retrieved.sampled}, {unretrieved.relevant} of "
        f"{unretrieved.sampled}"
    )

    both = irb.recall_interval(retrieved, unretrieved)
    least = irb.recall_interval(retrieved, unretrieved, side="lower").low
    probability = irb.recall_posterior(retrieved, unretrieved).sf(TARGET)
    print(
        f"recall {both.estimate:.3f}, 95 % interval {both.low:.3f} to {both.high:.3f}; at least "
        f"{least:.3f}; "
        f"P(recall >= {TARGET}) = {probability:.4f}"
    )
    truth = segments[0].sum() / sum(segment.sum() for segment in segments)
    print(f"(the truth, unknown outside of examples: {truth:.3f})")


if __name__ == "__main__":
    main()

"""Names that other tools give to measures, and what they are called here."""

ALIASES = {
    "MAP": "AP",
    "NDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "MRR": "RR",
    "RPrec": "Rprec",
    "BPref": "Bpref",
}

# Names of trec_eval, as patterns, and what they are called here.
TREC_NAMES = [
    (r"map", "AP"),
    (r"map_cut[_.](\d+)", r"AP@\1"),
    (r"P[_.](\d+)", r"P@\1"),
    (r"recall[_.](\d+)", r"R@\1"),
    (r"recip_rank", "RR"),
    (r"success[_.](\d+)", r"Success@\1"),
    (r"bpref", "Bpref"),
    (r"ndcg", "nDCG"),
    (r"ndcg_cut[_.](\d+)", r"nDCG@\1"),
    (r"iprec_at_recall[_.](\d?\.?\d+)", r"IPrec@\1"),
    (r"set_P", "SetP"),
    (r"set_recall", "SetR"),
    (r"set_F", "SetF"),
    (r"set_map", "SetAP"),
    (r"num_ret", "NumRet"),
    (r"num_rel", "NumRel"),
    (r"num_rel_ret", "NumRelRet"),
]

# Names of ranx, likewise; but for rbp, whose grades ranx takes as gains.
RANX_NAMES = [
    (r"map@(\d+)", r"AP@\1"),
    (r"mrr", "RR"),
    (r"mrr@(\d+)", r"RR@\1"),
    (r"precision", "SetP"),
    (r"precision@(\d+)", r"P@\1"),
    (r"recall", "SetR"),
    (r"recall@(\d+)", r"R@\1"),
    (r"f1", "SetF"),
    (r"f1@(\d+)", r"F@\1"),
    (r"hit_rate@(\d+)", r"Success@\1"),
    (r"r-precision", "Rprec"),
    (r"dcg", "DCG"),
    (r"dcg@(\d+)", r"DCG@\1"),
    (r"ndcg@(\d+)", r"nDCG@\1"),
    (r"dcg_burges", "DCG(dcg=exp-log2)"),
    (r"dcg_burges@(\d+)", r"DCG(dcg=exp-log2)@\1"),
    (r"ndcg_burges", "nDCG(dcg=exp-log2)"),
    (r"ndcg_burges@(\d+)", r"nDCG(dcg=exp-log2)@\1"),
]

"""The table of docs/howto/evaluate_rag_retrieval.md on objects of the libraries, if installed."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import irbounds as irb

pytestmark = pytest.mark.long
PAGE = Path(__file__).parents[2] / "docs/howto/evaluate_rag_retrieval.md"
TEXTS = {"a#1": "cats purr", "a#2": "cats sleep", "b#1": "dogs bark", "c#1": "birds sing at dawn"}


def llama_index():
    core, schema = import_module("llama_index.core"), import_module("llama_index.core.schema")
    parent = schema.NodeRelationship.SOURCE
    nodes = [
        schema.TextNode(
            id_=name,
            text=text,
            relationships={parent: schema.RelatedNodeInfo(node_id=name[0])},
        )
        for name, text in TEXTS.items()
    ]
    index = core.VectorStoreIndex(nodes, embed_model=core.MockEmbedding(embed_dim=8))
    return index.as_retriever(similarity_top_k=3)


def langchain():
    document = import_module("langchain_core.documents").Document
    embed = import_module("langchain_core.embeddings").DeterministicFakeEmbedding(size=16)
    store = import_module("langchain_core.vectorstores").InMemoryVectorStore(embed)
    chunks = [
        document(page_content=text, id=name, metadata={"source": name[0]})
        for name, text in TEXTS.items()
    ]
    store.add_documents(chunks)
    return store.as_retriever(search_kwargs={"k": 3})


def haystack():
    document = import_module("haystack").Document
    stores = import_module("haystack.document_stores.in_memory")
    store = stores.InMemoryDocumentStore()
    chunks = [
        document(id=name, content=text, meta={"source_id": name[0]}) for name, text in TEXTS.items()
    ]
    store.write_documents(chunks)
    retrievers = import_module("haystack.components.retrievers.in_memory")
    return retrievers.InMemoryBM25Retriever(store, top_k=3)


@pytest.mark.filterwarnings("ignore")  # of the libraries
@pytest.mark.parametrize(
    ("name", "make", "source"),
    [
        ("LlamaIndex", llama_index, "node.node.ref_doc_id"),
        ("LangChain", langchain, 'document.metadata["source"]'),
        ("Haystack", haystack, 'document.meta["source_id"]'),
    ],
)
def test_rows(name, make, source):
    page = PAGE.read_text()
    call, ids = re.search(rf"\| {name} \| `found = (.*?)` \| `(.*?)` \|", page).groups()
    assert f"`{source}`" in page
    try:
        retriever = make()
    except ImportError as error:
        pytest.skip(str(error))
    chunks, documents = {}, {}
    whole = ids.replace("node.node_id", source).replace("document.id", source)
    for query, text in {"q1": "do cats sleep", "q2": "dogs"}.items():
        found = eval(call, {"retriever": retriever, "text": text})
        assert found
        chunks[query] = eval(ids, {"found": found})
        documents[query] = eval(whole, {"found": found})
    by_hand = {q: [x if isinstance(x, str) else x[0] for x in items] for q, items in chunks.items()}
    assert {x for items in by_hand.values() for x in items} <= set(TEXTS)
    wanted = [items.index("a#2") + 1 for items in by_hand.values() if "a#2" in items]
    assert wanted
    qrels = {query: ["a#2"] for query in chunks}
    rr = irb.evaluate(qrels, chunks, "RR", ties="given")
    assert sum(rr["RR"]) == pytest.approx(sum(1 / place for place in wanted))
    run = irb.Run.from_lists(documents, duplicates="first")
    assert {q: set(run[q]) for q in run} == {q: {x[0] for x in v} for q, v in by_hand.items()}

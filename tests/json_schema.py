"""A checker of JSON schemas, of the keywords that those of this project use; others are errors."""

import re

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}
NOTES = {"$schema", "title", "description"}


def has_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def problems(value, schema, where="$"):
    """Faults of the value, a line each."""
    found = []
    for keyword, rule in schema.items():
        if keyword in NOTES or keyword in ("properties", "maxItems"):
            continue
        found += _problems_of(keyword, rule, value, schema, where)
    if isinstance(value, dict):
        for key, own in schema.get("properties", {}).items():
            if key in value:
                found += problems(value[key], own, f"{where}.{key}")
    if isinstance(value, list) and len(value) > schema.get("maxItems", len(value)):
        found.append(f"{where}: {len(value)} items")
    return found


def _problems_of(keyword, rule, value, schema, where):
    if keyword == "type":
        names = [rule] if isinstance(rule, str) else rule
        return [] if any(has_type(value, name) for name in names) else [f"{where}: {value!r}"]
    if keyword == "enum":
        return [] if value in rule else [f"{where}: {value!r}"]
    if keyword == "anyOf":
        if any(not problems(value, each, where) for each in rule):
            return []
        return [f"{where}: {value!r}"]
    if keyword == "required":
        return [f"{where} lacks {key}" for key in rule if key not in value]
    if keyword == "items":
        each = enumerate(value if isinstance(value, list) else [])  # of lists alone
        return [p for i, own in each for p in problems(own, rule, f"{where}[{i}]")]
    if keyword == "additionalProperties":
        others = [key for key in value or () if key not in schema.get("properties", {})]
        if rule is False:
            return [f"{where} has {key}" for key in others]
        return [p for key in others for p in problems(value[key], rule, f"{where}.{key}")]
    if keyword == "pattern":
        is_fine = not isinstance(value, str) or re.search(rule, value)
        return [] if is_fine else [f"{where}: {value!r}"]
    if keyword == "minimum":
        return [] if value >= rule else [f"{where}: {value!r}"]
    if keyword == "minItems":
        return [] if value is None or len(value) >= rule else [f"{where}: {value!r}"]
    raise NotImplementedError(keyword)

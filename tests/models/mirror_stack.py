"""Solves hom-palindrome, marked-palindrome and string-reversal."""

IMAGES = {"hom-palindrome": dict(zip("abc", "xyz", strict=True))}


def load(task):
    global name, image
    name, image = task.name, IMAGES.get(task.name, {})


def predict(prefix):
    word = prefix[: prefix.index("#")] if "#" in prefix else prefix
    after = len(prefix) - len(word)  # symbols behind the word, the first of which is the marker
    if name == "string-reversal":
        return {word[-after]} if after else {"#"}
    if not after:
        return {"a", "b", "c", "#"}
    return {image.get(word[-after], word[-after])} if after <= len(word) else {"END"}

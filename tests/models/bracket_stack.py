"""Solves every Dyck task with a stack: any bracket may open, and only the last one open may close."""


def load(task):
    global closing
    closing = dict(zip(task.alphabet[::2], task.alphabet[1::2], strict=True))


def predict(prefix):
    owed = []
    for symbol in prefix:
        if symbol in closing:
            owed.append(closing[symbol])
        else:
            owed.pop()
    return {*closing, *owed[-1:]}

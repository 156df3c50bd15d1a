"""Parses a template into trees: Go's grammar, with its rules on variables, functions and nesting."""

from __future__ import annotations

from collections.abc import Collection

from understudy.core.nearness import closest_name
from understudy.rules.templates import literals
from understudy.rules.templates.faults import TemplateFault
from understudy.rules.templates.lexer import Token
from understudy.rules.templates.nodes import (
    Action,
    Branch,
    Command,
    Dot,
    Fields,
    Function,
    Invocation,
    Leave,
    Literal,
    Nil,
    Node,
    Operand,
    Pipeline,
    Text,
    Tree,
    Variable,
)

MAIN = ""
_NESTING = 100
_STARTS_OPERAND = frozenset(
    ("bool", "character", "dot", "field", "identifier", "number", "nil", "raw", "string", "variable", "(")
)


def parse(tokens: list[Token], functions: Collection[str]) -> dict[str, Tree]:
    """The template, under the name '', and those that it defines."""
    return _Parser(tokens, functions).run()


class _Parser:
    def __init__(self, tokens: list[Token], functions: Collection[str]) -> None:
        self.tokens = tokens
        self.position = 0
        self.functions = functions
        self.trees: dict[str, Tree] = {}
        self.tree = Tree()
        self.variables: list[str] = ["$"]
        self.ranges = 0
        self.nesting = 0

    def run(self) -> dict[str, Tree]:
        main = self.tree
        nodes: list[Node] = []
        while self.peek().kind != "eof":
            if self.peek().kind == "open" and self._word_after_open() == "define":
                self._definition()
            else:
                node, word = self._item()
                if word is not None:
                    self._refuse(word)
                nodes.extend(node)
        main.nodes = tuple(nodes)
        self.trees[MAIN] = main
        return self.trees

    # Tokens

    def peek(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        token = self.tokens[self.position]
        if token.kind != "eof":
            self.position += 1
        return token

    def peek_word(self) -> Token:
        if self.peek().kind == "space":
            self.position += 1
        return self.peek()

    def take_word(self) -> Token:
        self.peek_word()
        return self.take()

    def expect(self, kind: str, context: str) -> Token:
        token = self.take_word()
        if token.kind != kind:
            raise self._unexpected(token, context)
        return token

    def _word_after_open(self) -> str:
        following = self.tokens[self.position + 1]
        return self.tokens[self.position + 2].kind if following.kind == "space" else following.kind

    # Structure

    def _definition(self) -> None:
        self.take()
        self.expect("define", "define clause")
        token, name = self._template_name("define clause")
        self.expect("close", "define clause")
        tree = self._separate(name, "define")
        self._add(name, tree, token)

    def _separate(self, name: str, word: str) -> Tree:
        """A template of its own, up to its `end`."""
        kept = self.tree, self.variables, self.ranges
        self.tree, self.variables, self.ranges = Tree(), ["$"], 0
        nodes, end = self._list(word)
        if end.kind != "end":
            raise self._unexpected_word(end, f"{word} clause")
        self.expect("close", "end")
        tree = self.tree
        tree.nodes = nodes
        self.tree, self.variables, self.ranges = kept
        return tree

    def _add(self, name: str, tree: Tree, token: Token) -> None:
        known = self.trees.get(name)
        if known is not None and not _is_empty(known) and not _is_empty(tree):
            message = f'multiple definition of template "{name}"'
            raise TemplateFault(message, token.offset, hint="give each its own name")
        if known is None or not _is_empty(tree):
            self.trees[name] = tree

    def _template_name(self, context: str) -> tuple[Token, str]:
        token = self.take_word()
        if token.kind not in ("string", "raw"):
            raise self._unexpected(token, context)
        return token, literals.string(token.text, token.offset)

    def _list(self, context: str) -> tuple[tuple[Node, ...], Token]:
        """Nodes up to an `end` or `else`, which is given back."""
        self._deeper(self.peek())
        nodes: list[Node] = []
        while self.peek().kind != "eof":
            node, word = self._item()
            if word is not None:
                self.nesting -= 1
                return tuple(nodes), word
            nodes.extend(node)
        message = f"unexpected EOF: the {{{{{context}}}}} is not closed"
        raise TemplateFault(message, self.peek().offset, hint="add '{{end}}'")

    def _item(self) -> tuple[list[Node], Token | None]:
        """The next node; or the `end` or `else` that stands there."""
        token = self.take()
        if token.kind == "text":
            return [Text(token.text)], None
        word = self.peek_word()
        match word.kind:
            case "end" | "else":
                return [], self.take()
            case "if" | "with" | "range":
                self.take()
                return [self._branch(word)], None
            case "break" | "continue":
                return [self._leave(self.take())], None
            case "template" | "block":
                self.take()
                return [self._invocation(word)], None
            case "define":
                raise TemplateFault(
                    "unexpected {{define}}",
                    word.offset,
                    hint="define templates at the top, not inside others",
                )
        mark = len(self.variables)
        pipeline = self._pipeline("command", "close")
        del self.variables[mark + len(pipeline.variables) :]
        return [Action(pipeline)], None

    def _branch(self, word: Token) -> Branch:
        kind = word.kind
        mark = len(self.variables)
        pipeline = self._pipeline(kind, "close")
        if kind == "range":
            self.ranges += 1
        body, end = self._list(kind)
        if kind == "range":
            self.ranges -= 1
        otherwise: tuple[Node, ...] = ()
        if end.kind == "else":
            following = self.peek_word()
            if following.kind == kind and kind in ("if", "with"):
                self.take()
                self._deeper(following)
                otherwise = (self._branch(following),)
                self.nesting -= 1
                del self.variables[mark:]
                return Branch(kind, pipeline, body, otherwise)
            if following.kind in ("if", "with", "range"):
                raise self._unexpected_word(following, f"{{{{else}}}} of {{{{{kind}}}}}")
            self.expect("close", "else")
            otherwise, end = self._list(kind)
            if end.kind != "end":
                raise TemplateFault(
                    "expected end; found {{else}}", end.offset, hint="only one 'else' can stand before 'end'"
                )
        self.expect("close", "end")
        del self.variables[mark:]
        return Branch(kind, pipeline, body, otherwise)

    def _leave(self, word: Token) -> Leave:
        if not self.ranges:
            message = f"{{{{{word.kind}}}}} outside {{{{range}}}}"
            raise TemplateFault(message, word.offset, hint="it leaves a range: write it within one")
        self.expect("close", f"{{{{{word.kind}}}}}")
        return Leave(word.kind)

    def _invocation(self, word: Token) -> Invocation:
        context = f"{word.kind} clause"
        token, name = self._template_name(context)
        pipeline = None
        if word.kind == "block" or self.peek_word().kind != "close":
            mark = len(self.variables)
            pipeline = self._pipeline(context, "close")
            del self.variables[mark:]
        else:
            self.take()
        if word.kind == "block":
            self._add(name, self._separate(name, "block"), token)
        return Invocation(name, pipeline, word.offset, token.offset + len(token.text))

    # Pipelines

    def _pipeline(self, context: str, closing: str) -> Pipeline:
        start = self.peek_word().offset
        found, declare = self._variables(context)
        commands: list[Command] = []
        while True:
            token = self.peek_word()
            if token.kind == closing:
                self._check(commands, token, context)
                self.take()
                # What is declared here is not yet known to the value that it gets.
                variables = tuple(self._slot(variable, declare) for variable in found)
                return Pipeline(tuple(commands), variables, start, token.offset)
            if token.kind not in _STARTS_OPERAND:
                raise self._unexpected(token, context)
            commands.append(self._command())

    def _variables(self, context: str) -> tuple[list[Token], bool]:
        """The variables before `:=` or `=`, if there are any, and whether they are declared."""
        found: list[Token] = []
        kept = self.position
        while self.peek_word().kind == "variable":
            found.append(self.take())
            following = self.peek_word()
            if following.kind in ("declare", "assign"):
                self.take()
                return found, following.kind == "declare"
            if following.kind != "comma" or context != "range" or len(found) == 2:
                if following.kind == "comma":
                    message = f"too many declarations in {context}"
                    raise TemplateFault(message, following.offset, hint="only a range sets two variables")
                break
            self.take()
        else:
            if found:
                raise self._unexpected(self.peek(), context)
        self.position = kept
        return [], False

    def _slot(self, token: Token, declare: bool) -> Variable:
        if declare:
            self.variables.append(token.text)
            self.tree.slots = max(self.tree.slots, len(self.variables))
            slot = len(self.variables) - 1
        else:
            slot = self._find(token)
        return Variable(token.text, slot, token.offset, token.offset + len(token.text))

    def _find(self, token: Token) -> int:
        for slot in range(len(self.variables) - 1, -1, -1):
            if self.variables[slot] == token.text:
                return slot
        near = closest_name(token.text, self.variables)
        hint = f"did you mean '{near}'?" if near else f"declare it first: {{{{{token.text} := ...}}}}"
        raise TemplateFault(f'undefined variable "{token.text}"', token.offset, hint=hint)

    def _command(self) -> Command:
        operands: list[Operand] = []
        start = self.peek_word().offset
        while True:
            token = self.peek_word()
            if token.kind in _STARTS_OPERAND:
                operands.append(self._operand())
            following = self.take()
            if following.kind == "space":
                continue
            if following.kind in ("close", ")"):
                self.position -= 1
            elif following.kind != "pipe":
                raise self._unexpected(following, "operand")
            break
        if not operands:
            raise TemplateFault("empty command", start, hint="write a value or a function")
        return Command(tuple(operands), start, operands[-1].end)

    def _operand(self) -> Operand:
        token = self.take()
        operand = self._term(token)
        names: list[str] = []
        end = operand.end
        while self.peek().kind == "field":
            field = self.take()
            names.append(field.text[1:])
            end = field.offset + len(field.text)
        if not names:
            return operand
        if isinstance(operand, Literal | Nil | Dot):
            shown = token.text
            message = f'unexpected . after term "{shown}"'
            raise TemplateFault(message, operand.end, hint="a constant has no fields")
        if isinstance(operand, Fields):
            return Fields(operand.base, (*operand.names, *names), operand.start, end)
        return Fields(operand, tuple(names), operand.start, end)

    def _term(self, token: Token) -> Operand:
        start, end = token.offset, token.offset + len(token.text)
        match token.kind:
            case "identifier":
                return Function(self._known(token), start, end)
            case "dot":
                return Dot(start, end)
            case "nil":
                return Nil(start, end)
            case "variable":
                return Variable(token.text, self._find(token), start, end)
            case "field":
                return Fields(Dot(start, start), (token.text[1:],), start, end)
            case "(":
                self._deeper(token)
                mark = len(self.variables)
                pipeline = self._pipeline("parenthesized pipeline", ")")
                del self.variables[mark:]
                self.nesting -= 1
                after = self.tokens[self.position - 1].offset + 1
                return Pipeline(pipeline.commands, pipeline.variables, start, after)
            case "bool":
                return Literal(token.text == "true", start, end)
            case "number":
                return Literal(literals.number(token.text, start), start, end)
            case "character":
                return Literal(literals.character(token.text, start), start, end)
        return Literal(literals.string(token.text, start), start, end)

    def _known(self, token: Token) -> str:
        if token.text in self.functions:
            return token.text
        near = closest_name(token.text, self.functions)
        hint = f"did you mean '{near}'?" if near else f"a field is written with a point: .{token.text}"
        raise TemplateFault(f'function "{token.text}" not defined', token.offset, hint=hint)

    def _check(self, commands: list[Command], token: Token, context: str) -> None:
        if not commands:
            hint = "write a value or a function"
            raise TemplateFault(f"missing value for {context}", token.offset, hint=hint)
        for stage, command in enumerate(commands[1:], 2):
            if isinstance(command.operands[0], Literal | Nil | Dot):
                message = f"non executable command in pipeline stage {stage}"
                raise TemplateFault(message, command.start, hint="only a function can follow '|'")

    # Faults

    def _deeper(self, token: Token) -> None:
        self.nesting += 1
        if self.nesting > _NESTING:
            message = f"nested deeper than {_NESTING} levels"
            raise TemplateFault(message, token.offset, hint="define parts of it as templates of their own")

    def _refuse(self, word: Token) -> None:
        hint = "nothing is open here: remove it"
        raise TemplateFault(f"unexpected {{{{{word.kind}}}}}", word.offset, hint=hint)

    def _unexpected(self, token: Token, context: str) -> TemplateFault:
        if token.kind == "eof":
            return TemplateFault(f"unexpected EOF in {context}", token.offset, hint="end it with '}}'")
        shown = "}}" if token.kind == "close" else token.text.strip() or " "
        hint = {
            "=": "compare with the function eq: {{if eq .a .b}}",
            ",": "arguments stand one after another, with blanks between",
            ":=": "a variable begins with '$'",
        }.get(shown, "check what stands before it")
        return TemplateFault(f'unexpected "{shown}" in {context}', token.offset, hint=hint)

    def _unexpected_word(self, token: Token, context: str) -> TemplateFault:
        return TemplateFault(
            f"unexpected {token.text} in {context}", token.offset, hint="close it with '{{end}}'"
        )


def _is_empty(tree: Tree) -> bool:
    return all(isinstance(node, Text) and not node.text.strip() for node in tree.nodes)

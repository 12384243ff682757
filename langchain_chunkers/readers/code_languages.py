"""The languages that the code reader knows: one line a language, and the names people call it by.

A language with a grammar is read by syntax. YAML has none here although one exists: it crashes the
process on deeply nested lists, and indentation says all there is to say. To add a language, add a
line, and its wheel to the extra ``code``.
"""

# ruff: noqa: E501 - a table with one line for each language

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = [
    "COMMENT_LIKE",
    "GRAMMARS",
    "MODIFIERS",
    "Grammar",
    "by_file_name",
    "canonical",
    "grammar_of",
]


class Grammar(NamedTuple):
    """How the syntax tree of a language names what matters for dividing.

    Attributes:
        module: The wheel's module.
        functions: Definitions whose insides are statements.
        containers: Definitions whose insides are definitions: classes, namespaces.
        wrappers: What stands around a definition: decorators, ``export``, ``template``.
        imports: Statements that are kept together.
        assigned: Statements that define a function where the value they give is one.
        function: The function of the module that gives the grammar.
    """

    module: str
    functions: frozenset[str] = frozenset()
    containers: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    assigned: frozenset[str] = frozenset()
    function: str = "language"


def _grammar(
    module: str,
    functions: str = "",
    containers: str = "",
    wrappers: str = "",
    imports: str = "",
    assigned: str = "",
    function: str = "language",
) -> Grammar:
    def kinds(names: str) -> frozenset[str]:
        return frozenset(names.split())

    return Grammar(
        f"tree_sitter_{module}",
        kinds(functions),
        kinds(containers),
        kinds(wrappers),
        kinds(imports),
        kinds(assigned),
        function,
    )


_JS = "function_declaration generator_function_declaration method_definition"
_TS = f"{_JS} interface_declaration type_alias_declaration enum_declaration"
_CLASSES = "class_declaration abstract_class_declaration internal_module module"
_VALUES = "lexical_declaration variable_declaration expression_statement field_definition public_field_definition"
_EXPORTS = "export_statement ambient_declaration"
_C = "function_definition struct_specifier union_specifier enum_specifier"
_TYPES = "class_declaration interface_declaration enum_declaration record_declaration"
_NETS = "struct_declaration namespace_declaration"

# fmt: off
GRAMMARS: dict[str, Grammar] = {
    "bash": _grammar("bash", "function_definition"),
    "c": _grammar("c", _C, "", "type_definition", "preproc_include"),
    "cpp": _grammar("cpp", "function_definition union_specifier enum_specifier concept_definition", "class_specifier struct_specifier namespace_definition", "template_declaration type_definition", "preproc_include using_declaration"),
    "csharp": _grammar("c_sharp", "method_declaration constructor_declaration destructor_declaration operator_declaration indexer_declaration local_function_statement", f"{_TYPES} {_NETS}", "", "using_directive"),
    "css": _grammar("css", "rule_set keyframes_statement", "media_statement supports_statement", "", "import_statement"),
    "go": _grammar("go", "function_declaration method_declaration type_declaration", "", "", "import_declaration"),
    "html": _grammar("html"),
    "java": _grammar("java", "method_declaration constructor_declaration compact_constructor_declaration", f"{_TYPES} annotation_type_declaration", "", "import_declaration"),
    "javascript": _grammar("javascript", _JS, "class_declaration", _EXPORTS, "import_statement", _VALUES),
    "json": _grammar("json"),
    "kotlin": _grammar("kotlin", "function_declaration secondary_constructor", "class_declaration object_declaration companion_object", "", "import import_header import_list"),
    "lua": _grammar("lua", "function_declaration", "", "", "", "variable_declaration assignment_statement"),
    "php": _grammar("php", "function_definition method_declaration", "class_declaration interface_declaration trait_declaration enum_declaration namespace_definition", "", "namespace_use_declaration", function="language_php"),
    "python": _grammar("python", "function_definition", "class_definition", "decorated_definition", "import_statement import_from_statement future_import_statement"),
    "ruby": _grammar("ruby", "method singleton_method", "class module singleton_class"),
    "rust": _grammar("rust", "function_item struct_item enum_item union_item macro_definition", "impl_item trait_item mod_item", "", "use_declaration extern_crate_declaration"),
    "scala": _grammar("scala", "function_definition given_definition", "object_definition class_definition trait_definition enum_definition package_object extension_definition", "", "import_declaration"),
    "sql": _grammar("sql", "statement"),
    "swift": _grammar("swift", "function_declaration init_declaration deinit_declaration subscript_declaration", "class_declaration protocol_declaration", "", "import_declaration"),
    "toml": _grammar("toml", "table table_array_element"),
    "tsx": _grammar("typescript", _TS, _CLASSES, _EXPORTS, "import_statement", _VALUES, "language_tsx"),
    "typescript": _grammar("typescript", _TS, _CLASSES, _EXPORTS, "import_statement", _VALUES, "language_typescript"),
}
"""Each language with a grammar, by its name."""
# fmt: on

COMMENT_LIKE = frozenset(
    [
        "attribute_item",
        "inner_attribute_item",
        "attribute_list",
        "decorator",
        "annotation",
        "access_specifier",
        "shebang",
        "hash_bang_line",
        "php_tag",
        "doctype",
        "start_tag",
        "jsx_opening_element",
    ]
)
"""Kinds beside comments that belong to what follows."""

MODIFIERS = frozenset(
    [
        "modifiers",
        "modifier",
        "attribute_list",
        "visibility_modifier",
        "decorator",
        "annotation",
        "marker_annotation",
        "accessibility_modifier",
        "attribute",
        "access_modifiers",
        "static_modifier",
        "final_modifier",
        "abstract_modifier",
        "readonly_modifier",
        "export",
        "default",
        "comment",
        "line_comment",
        "block_comment",
    ]
)
"""Kinds in front of a definition that are no part of its name."""

_NAMES = {
    "bash": "sh shell zsh ksh shell-script bash-session",
    "c": "h",
    "cpp": "c++ cxx cc hpp hxx hh objc++ cuda cu",
    "csharp": "c# cs c-sharp",
    "css": "",
    "go": "golang",
    "html": "htm xhtml html5",
    "java": "",
    "javascript": "js jsx mjs cjs node ecmascript javascript+jsx",
    "json": "jsonc json5 geojson webmanifest",
    "kotlin": "kt kts",
    "lua": "luau",
    "php": "php3 php4 php5 phtml",
    "python": "py python3 py3 pyi python2 py2 cython pyx sage bazel starlark",
    "ruby": "rb jruby rake gemspec rbw",
    "rust": "rs rust-lang",
    "scala": "sc sbt",
    "sql": "mysql postgresql postgres plpgsql sqlite sqlite3 tsql psql ddl",
    "swift": "",
    "toml": "",
    "tsx": "typescript+tsx typescriptreact",
    "typescript": "ts mts cts",
    "yaml": "yml",
    "text": "txt plain plaintext none",
}
_CANONICAL = {alias: name for name, aliases in _NAMES.items() for alias in (name, *aliases.split())}
_FILES = {"makefile": "make", "dockerfile": "docker", "gemfile": "ruby", "rakefile": "ruby"}
_SUFFIX = re.compile(r"[^/\\.]\.([A-Za-z0-9+#]+)$")


def canonical(name: str) -> str:
    """Give the name that this package uses for a language; a name unknown to it in lower case.

    Example:
        >>> canonical("C++"), canonical(" py "), canonical("COBOL")
        ('cpp', 'python', 'cobol')
    """
    plain = name.strip().lower()
    return _CANONICAL.get(plain, plain)


def grammar_of(language: str) -> Grammar | None:
    """Give the grammar of a language by any of its names; ``None`` where there is none."""
    return GRAMMARS.get(canonical(language))


def by_file_name(path: str) -> str | None:
    """Give the language that a file name says; ``None`` if it says none that is known here.

    Example:
        >>> by_file_name("src/main.RS"), by_file_name("notes")
        ('rust', None)
    """
    found = _SUFFIX.search(path.strip())
    if found is None:
        return _FILES.get(re.split(r"[/\\]", path.strip())[-1].lower())
    return _CANONICAL.get(found.group(1).lower())

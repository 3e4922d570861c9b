/** A language that code fences can name. */
export interface Language {
  /** Its name as clients know it. */
  name: string
  /** The highlight.js grammar that fits it; absent for plain text. */
  grammar?: string
}

// Name | grammar | words by which fences name it.
const table = `
Bash|bash|bash sh ksh zsh shell openrc ebuild eclass
Bash Session|shell|console shell-session
Batchfile|dos|batch bat dosbatch winbatch
PowerShell|powershell|powershell pwsh posh ps1 psm1
Python|python|python py sage python3 py3 bazel starlark pyi
Python console session|python-repl|pycon python-console
JavaScript|javascript|javascript js
JSX|javascript|jsx react
TypeScript|typescript|typescript ts
TSX|typescript|tsx
CoffeeScript|coffeescript|coffeescript coffee-script coffee
JSON|json|json json-object jsonl ndjson
YAML|yaml|yaml
TOML|ini|toml
INI|ini|ini cfg dosini
HTML|xml|html
XML|xml|xml
CSS|css|css
SCSS|scss|scss
LessCss|less|less
Sass|scss|sass
Markdown|markdown|markdown md
reStructuredText||restructuredtext rst rest
TeX|latex|tex latex
Text only||text
C|c|c
C++|cpp|cpp c++
C#|csharp|csharp c# cs
Objective-C|objectivec|objective-c objectivec obj-c objc
Java|java|java
Kotlin|kotlin|kotlin
Scala|scala|scala
Groovy|groovy|groovy
Clojure|clojure|clojure clj
Go|go|go golang
Rust|rust|rust rs
Swift|swift|swift
Dart|dart|dart
D|d|d
Nim|nim|nim nimrod
Zig||zig
Crystal|crystal|cr crystal
Ruby|ruby|ruby rb duby
ERB|erb|erb
PHP|php|php php3 php4 php5
Perl|perl|perl pl
Lua|lua|lua
Tcl|tcl|tcl
Awk|awk|awk gawk mawk nawk
R||rconsole rout
S|r|r s splus
Julia|julia|julia jl
Matlab|matlab|matlab
Mathematica|mathematica|mathematica mma nb
Fortran|fortran|fortran f90
Delphi|delphi|delphi pas pascal objectpascal
Ada|ada|ada ada95 ada2005
Haskell|haskell|haskell hs
OCaml|ocaml|ocaml
F#|fsharp|fsharp f#
Elm|elm|elm
Erlang|erlang|erlang
Elixir|elixir|elixir ex exs
Common Lisp|lisp|common-lisp cl lisp
EmacsLisp|lisp|emacs-lisp elisp emacs
Scheme|scheme|scheme scm
Racket|scheme|racket rkt
Prolog|prolog|prolog
Smalltalk|smalltalk|smalltalk squeak st
AppleScript|applescript|applescript
VB.net|vbnet|vb.net vbnet
VimL|vim|vim
SQL|sql|sql
PostgreSQL SQL dialect|pgsql|postgresql postgres
MySQL|sql|mysql mariadb
GraphQL|graphql|graphql
Protocol Buffer|protobuf|protobuf proto
Diff|diff|diff udiff
Docker|dockerfile|docker dockerfile
Makefile|makefile|make makefile mf bsdmake
CMake|cmake|cmake
Nginx configuration file|nginx|nginx
ApacheConf|apache|apacheconf aconf apache
Nix|nix|nix nixos
Terraform||terraform tf hcl
Puppet|puppet|puppet
HTTP|http|http
Django/Jinja|django|django jinja
Handlebars|handlebars|handlebars
GAS|x86asm|gas asm
NASM|x86asm|nasm
LLVM|llvm|llvm
verilog|verilog|verilog v
vhdl|vhdl|vhdl
QML|qml|qml qbs
Properties|properties|properties jproperties
`

let byWord: Map<string, Language> | undefined

/** The language that a word after a fence means. */
export function findLanguage(word: string): Language | undefined {
  byWord ??= new Map(table.trim().split('\n').flatMap(entries))
  return byWord.get(word)
}

function entries(line: string): [string, Language][] {
  const [name = '', grammar, words = ''] = line.split('|')
  const language: Language = grammar ? { name, grammar } : { name }
  return words.split(' ').map((word) => [word, language])
}

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Plugin } from 'esbuild'
import { parseSync } from 'oxc-parser'

type Node = { type: string; start: number; end: number; [member: string]: unknown }

/** The marks around each text of `words/`, so that a test can recognise its source. */
export const pseudoMarks = { start: '⟦', end: '⟧' }

/** Words of at most eight characters, so that a long text can wrap like ordinary language. */
const filler = (length: number) => '~'.repeat(length).replace(/~{8}(?=~)/g, '~~~~~~~ ')

/** The visible parts of a text, a third longer and marked. */
const pseudo = (text: string) =>
  /\p{L}{2}/u.test(text) ? `${pseudoMarks.start}${text}${filler(Math.ceil(text.length / 3))}${pseudoMarks.end}` : text

/** Nodes whose strings are not texts: types, names of modules and of members. */
const noTexts =
  /^(TS(TypeAlias|Interface|LiteralType|TypeReference|TypeAnnotation|TypeParameter|AsExpressionType)|ImportDeclaration)/

/** `+` joins the parts of a long text; any other operator compares. */
const isComparison = ({ type, operator }: Node) => type === 'BinaryExpression' && operator !== '+'

/** Replaces the strings and template parts below a node. */
function replacements(node: Node, found: { at: [number, number]; text: string }[]): void {
  if (noTexts.test(node.type) || isComparison(node)) return
  if (node.type === 'Literal' && typeof node.value === 'string')
    found.push({ at: [node.start, node.end], text: JSON.stringify(pseudo(node.value)) })
  if (node.type === 'TemplateElement') {
    const { cooked } = node.value as { cooked: string }
    const text = pseudo(cooked).replace(/[\\`]|\$\{/g, '\\$&')
    // The range of the node includes the delimiters: the backtick or brace before, and the backtick or `${` after.
    found.push({ at: [node.start + 1, node.end - (node.tail ? 1 : 2)], text })
  }
  for (const [member, value] of Object.entries(node)) {
    if (member === 'key' && node.computed !== true) continue
    if (member === 'property' && node.type === 'MemberExpression') continue
    for (const each of [value].flat())
      if (each && typeof (each as Node).type === 'string') replacements(each as Node, found)
  }
}

/** The source of a file of `words/` with pseudo texts. */
export function pseudoSource(source: string): string {
  const { program } = parseSync('words.ts', source)
  const found: { at: [number, number]; text: string }[] = []
  replacements(program as unknown as Node, found)
  return found
    .sort((one, other) => other.at[0] - one.at[0])
    .reduce((text, { at: [from, to], text: next }) => text.slice(0, from) + next + text.slice(to), source)
}

/** Builds the dashboard in a language whose texts are a third longer. Numbers and times are English. */
export const pseudoWords: Plugin = {
  name: 'pseudo words',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]dashboard[/\\]words[/\\]en[/\\]\w+\.ts$/ }, ({ path }) =>
      basename(path) === 'language.ts'
        ? undefined
        : { contents: pseudoSource(readFileSync(path, 'utf8')), loader: 'ts' },
    )
  },
}

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** A fenced block of a document. */
export type Block = { page: string; language: string; text: string }

const blocksOf = (page: string): Block[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    page,
    language: language!,
    text: text!,
  }))

/** The code blocks of all documents that a reader follows. */
export const allBlocks = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/*.md', { cwd: root })]
  .sort()
  .flatMap(blocksOf)

/** The text of the block of a page that starts with these words. */
export function blockOf(page: string, begins: string): string {
  const found = allBlocks.filter((block) => block.page === page && block.text.trimStart().startsWith(begins))
  assert.equal(found.length, 1, `${page} has ${found.length} blocks that begin with ${begins}`)
  return found[0]!.text
}

/** Replaces the document's values in a block by the reader's own; each must occur. */
export function fill(text: string, values: Record<string, string>): string {
  let filled = text
  for (const [shown, own] of Object.entries(values)) {
    assert.ok(filled.includes(shown), `no ${shown} in ${text}`)
    filled = filled.replaceAll(shown, own)
  }
  return filled
}

export const pageText = (page: string): string => readFileSync(join(root, page), 'utf8')

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decisionMarkdown } from '#consent/decisionTable.ts'

const start = '## What each signal lets through\n'

/** The page on consent, whose table of decisions is written from the code that decides. */
export function consentPage(): string {
  const text = readFileSync(join(import.meta.dirname, '../docs/consent.md'), 'utf8')
  const from = text.indexOf(start)
  const after = text.indexOf('\n## ', from + start.length)
  if (from < 0 || after < 0) throw new Error(`docs/consent.md has no section ${start}`)
  const section = `${start}
Written by \`npm run docs\` from \`src/consent/decisionTable.ts\`, for a vendor of the Global Vendor List (*listed*), one with an id of
Google's additional consent alone (*additional*), and one with neither (*other*). A GPP string stands beside the answer \`all: true\`,
where the row does not say *alone*.

${decisionMarkdown()}
`
  return `${text.slice(0, from)}${section}${text.slice(after)}`
}

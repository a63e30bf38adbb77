import { terminalText } from '#contract/displayText.ts'
import type { SourceName } from '#contract/sourceNames.ts'
import { buildChannels, type ImportDeps } from './channels.ts'
import type { ImportDraft } from './importDraft.ts'
import {
  type ImportedElement,
  type ImportOptions,
  type ImportReport,
  type ImportResult,
  importCodes,
  importStatuses,
} from './importResult.ts'

type Parts = {
  product: string
  drafts: readonly ImportDraft[]
  elements: ImportedElement[]
  steps: string[]
  sources?: SourceName[]
}

/** The result of an import, from the findings of its reader. */
export function toResult(
  { product, drafts, elements, steps, sources = [] }: Parts,
  { tagName: name, domain, secretsFile }: ImportOptions,
  deps: ImportDeps,
): ImportResult {
  const built = buildChannels(drafts, secretsFile, deps)
  const count = (status: string) => elements.filter((each) => each.status === status).length
  const tag = { name, domain, ...(sources.length > 0 && { sources }), scripts: built.scripts }
  const counts = Object.fromEntries(importStatuses.map((status) => [status, count(status)])) as ImportReport['counts']
  const report: ImportReport = { product, counts, channels: built.summaries, elements, steps }
  return {
    configuration: { tags: [tag] },
    inactive: built.inactive,
    secrets: built.secrets,
    report: hideSecrets(report, built.secrets),
  }
}

/** The shortest secret that is searched for in names and notes: a shorter one could be an ordinary word. */
const shortestSecret = 8

/** Masks secrets that somebody wrote into a name, except their last 4 characters. */
function hideSecrets(report: ImportReport, secrets: Readonly<Record<string, string>>): ImportReport {
  const texts = [...new Set(Object.values(secrets))].filter((text) => text.length >= shortestSecret)
  if (texts.length === 0) return report
  const expression = new RegExp(texts.map((text) => RegExp.escape(text)).join('|'), 'g')
  const mask = (text: string) => text.replace(expression, (secret) => `…${secret.slice(-4)}`)
  const maskAll = (value: unknown): unknown => {
    if (typeof value === 'string') return mask(value)
    if (Array.isArray(value)) return value.map(maskAll)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [mask(name), maskAll(each)]))
  }
  return maskAll(report) as ImportReport
}

export const isComplete = ({ counts }: ImportReport): boolean => counts.mapped === sum(Object.values(counts))
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

/** A text of the export for Markdown: without HTML and markup, one line, at most 300 characters. */
const shown = (text: string) =>
  [...terminalText(text).replace(/\s+/g, ' ').slice(0, 300)]
    .map((sign) => (/[\\`*_[\]|#~]/.test(sign) ? `\\${sign}` : sign))
    .join('')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')

const headings: Readonly<Record<ImportedElement['status'], string>> = {
  mapped: 'Moved',
  needsValue: 'Moved, but needs a value from you',
  needsDecision: 'Needs a decision',
  notMapped: 'Not moved',
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

function elementRows(elements: readonly ImportedElement[]): string[] {
  const lines = elements.map(({ kind, name, channels, notes }) => {
    const texts = notes.map(({ code, text }) => `${code ? `\`${code}\` ` : ''}${shown(text)}`)
    return row([shown(kind), shown(name), channels.map(shown).join(', '), texts.join(' ')])
  })
  return [row(['what', 'name', 'channel', 'notes']), '|---|---|---|---|', ...lines]
}

function channelLines({ channels }: ImportReport): string[] {
  return channels.flatMap(({ name, providerId, isActive, from, values, events, missing }) => [
    `### ${shown(name)} (${providerId})${isActive ? '' : ', a comment in the file'}`,
    '',
    `- made of: ${from.map(shown).join(', ')}`,
    ...(events ? [`- events: ${events.map(shown).join(', ') || 'none'}`] : []),
    ...Object.entries(values).map(([variable, value]) => `- ${variable}: ${shown(value)}`),
    ...missing.map((key) => `- **missing**: ${shown(key)}`),
    '',
  ])
}

/** The report as Markdown. It contains no secrets. */
export function formatReport(report: ImportReport, secretsFile: string): string {
  const { product, counts, elements, steps } = report
  const codes = [...new Set(elements.flatMap(({ notes }) => notes.flatMap(({ code }) => code ?? [])))]
  const parts = importStatuses.toReversed().flatMap((status) => {
    const found = elements.filter((each) => each.status === status)
    return found.length === 0 ? [] : [`## ${headings[status]} (${found.length})`, '', ...elementRows(found), '']
  })
  return `${[
    `# Import from ${product}`,
    '',
    row(importStatuses.map((status) => headings[status])),
    '|---|---|---|---|',
    row(importStatuses.map((status) => String(counts[status]))),
    '',
    `Anyone with the export knows its tokens. Create new ones where you can, and write them to ${shown(secretsFile)}.`,
    '',
    ...(steps.length > 0 ? ['## What else to do', '', ...steps.map((step) => `- ${shown(step)}`), ''] : []),
    '## Channels',
    '',
    ...channelLines(report),
    ...parts,
    ...(codes.length > 0 ? ['## Codes', '', ...codes.map((code) => `- \`${code}\`: ${importCodes[code]}`), ''] : []),
  ].join('\n')}`
}

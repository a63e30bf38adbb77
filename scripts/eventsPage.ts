import { eventReference, type ReferenceSection } from '../src/event/reference/eventReference.ts'
import type { EventExample } from '../src/event/reference/examples.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
const tableOf = ({ head, rows }: NonNullable<ReferenceSection['table']>) =>
  [row(head), `|${head.map(() => '---|').join('')}`, ...rows.map(row)].join('\n')

const json = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``

function exampleOf({ title, headers = {}, body, status, answer }: EventExample): string {
  const lines = Object.entries(headers).map(([name, value]) => `\`${name}: ${value}\``)
  const given = lines.length > 0 ? `With ${lines.join(', ')}:\n\n` : ''
  return `### ${title}\n\n${given}${json(body)}\n\nAnswer ${status}:\n\n${json(answer)}`
}

const sectionOf = ({ title, texts = [], table, examples = [] }: ReferenceSection) =>
  [`## ${title}`, ...texts, ...(table ? [tableOf(table)] : []), ...examples.map(exampleOf)].join('\n\n')

/** docs/events.md: the reference of the event endpoint. */
export const eventsPage = (): string => `# Events

For developers who send events. After this page you know every field, standard event, limit, answer and error of an event.

Written by \`npm run docs\` from the contract. The running server shows the same at \`/docs/events\`. Every example is sent by a test.

${eventReference.map(sectionOf).join('\n\n')}
`

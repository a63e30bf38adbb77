import { textOf } from '../table.ts'
import type { Change, Plan } from './plan.ts'
import type { Difference } from './secrets.ts'

const marks: Record<Change['does'], string> = {
  createTag: '+ tag',
  updateTag: '~ tag',
  createScript: '+ script',
  updateScript: '~ script',
  deleteScript: '- script',
}

const nameOf = (change: { tag: string; script?: string }) =>
  change.script === undefined ? change.tag : `${change.tag} / ${change.script}`

function lineOf({ field, from, to }: Difference): string {
  const [before, after] = [textOf(field, from), textOf(field, to)]
  if (before === '') return `${field}: ${after}`
  return `${field}: ${before} → ${after === '' ? '(unset)' : after}`
}

const blockOf = (change: Change) =>
  [`${marks[change.does]} ${nameOf(change)}`, ...change.differences.map((each) => `    ${lineOf(each)}`)].join('\n')

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`

/** What a plan would do, for a person. */
export function planText({ changes, others }: Plan): string {
  const blocks = changes.map(blockOf)
  const rest = others.map((each) => `  not in the file, stays: ${nameOf(each)}`).join('\n')
  const end = changes.length === 0 ? 'Nothing differs.' : `${count(changes.length, 'change')}.`
  return `${[...blocks, rest, end].filter((block) => block !== '').join('\n\n')}\n`
}

/** The same for a program: no reference to a secret stands in it. */
export const planJson = ({ changes, others }: Plan) => ({
  changes: changes.map(({ does, tag, differences, ...change }) => ({
    does,
    tag,
    ...('script' in change && { script: change.script }),
    differences,
  })),
  others,
})

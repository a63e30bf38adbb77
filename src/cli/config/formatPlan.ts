import { formatValue } from '#cli/textTable.ts'
import type { ConfigChange, ConfigPlan } from './configPlan.ts'
import type { Difference } from './secretPlan.ts'

const changeMarks: Record<ConfigChange['does'], string> = {
  createTag: '+ tag',
  updateTag: '~ tag',
  createScript: '+ script',
  updateScript: '~ script',
  deleteScript: '- script',
}

const targetName = (change: { tag: string; script?: string }) =>
  change.script === undefined ? change.tag : `${change.tag} / ${change.script}`

function formatDifference({ field, from, to }: Difference): string {
  const [before, after] = [formatValue(field, from), formatValue(field, to)]
  if (before === '') return `${field}: ${after}`
  return `${field}: ${before} → ${after === '' ? '(unset)' : after}`
}

const formatChange = (change: ConfigChange) =>
  [
    `${changeMarks[change.does]} ${targetName(change)}`,
    ...change.differences.map((each) => `    ${formatDifference(each)}`),
  ].join('\n')

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`

/** A plan as text for a person. */
export function formatPlan({ changes, others }: ConfigPlan): string {
  const blocks = changes.map(formatChange)
  const rest = others.map((each) => `  not in the file, stays: ${targetName(each)}`).join('\n')
  const end = changes.length === 0 ? 'Nothing differs.' : `${count(changes.length, 'change')}.`
  return `${[...blocks, rest, end].filter((block) => block !== '').join('\n\n')}\n`
}

/** A plan as JSON, without references to secrets. */
export const toPlanJson = ({ changes, others }: ConfigPlan) => ({
  changes: changes.map(({ does, tag, differences, ...change }) => ({
    does,
    tag,
    ...('script' in change && { script: change.script }),
    differences,
  })),
  others,
})

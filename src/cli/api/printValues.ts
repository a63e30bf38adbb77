import { formatFields } from '#cli/textTable.ts'
import type { DeploymentValues } from '#contract/deployment.ts'
import { terminalText } from '#contract/displayText.ts'
import type { ValueChange } from '#contract/revision.ts'

const marks = { added: '+', changed: '~', removed: '-' }
const mostLength = 100

function shown(value: unknown, isHidden: boolean | undefined): string {
  if (value === undefined || value === null) return 'nothing'
  if (isHidden) return `version ${value}`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const lines = text.split('\n').length
  if (lines > 1) return `${lines} lines`
  return terminalText(text.length > mostLength ? `${text.slice(0, mostLength)}…` : text)
}

const lineOf = ({ name, before, after, isHidden }: ValueChange) =>
  before === undefined
    ? `    ${name}: ${shown(after, isHidden)}\n`
    : `    ${name}: ${shown(before, isHidden)} → ${shown(after, isHidden)}\n`

/** The differences between two states of a tag, field by field. */
function formatValues({ settings, scripts }: DeploymentValues): string {
  const ofScripts = scripts.map(
    ({ change, name, providerId, values }) =>
      `  ${marks[change]} ${terminalText(name)} (${providerId})\n${values.map(lineOf).join('')}`,
  )
  const ofTag = settings.length > 0 ? [`  ~ settings of the tag\n${settings.map(lineOf).join('')}`] : []
  return [...ofTag, ...ofScripts].join('')
}

type Answer = Readonly<Record<string, unknown>>

/** The saved values that are not live. */
export function draftText({ live, values }: Answer): string {
  const text = formatValues(values as DeploymentValues)
  if (text === '') return 'All saved changes are live.\n'
  return `Deployment ${live} is live. Saved, but not live:\n${text}`
}

/** A deployment and its changes. */
export const deploymentText = ({ values, changes: _, ...fields }: Answer): string =>
  formatFields(fields) + formatValues(values as DeploymentValues)

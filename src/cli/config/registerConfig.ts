import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { type ApiFlags, addApiCommand, withApi } from '#cli/api/registerApi.ts'
import type { ReferenceContext } from '#cli/api/secretReferences.ts'
import { workingFolder } from '#cli/api/workingFolder.ts'
import type { ProgramDeps } from '#cli/cliDeps.ts'
import { endWith } from '#cli/commandOptions.ts'
import { UsageError } from '#cli/operatorCall.ts'
import { formatValue } from '#cli/textTable.ts'
import type { Client } from '#contract/client.ts'
import { asSentence } from '#contract/issueSentence.ts'
import {
  type AlertChanges,
  alertScopes,
  applyAlerts,
  countAlertChanges,
  exportAlerts,
  formatAlertChanges,
  planAlerts,
} from './alertConfig.ts'
import { type ApplyDeps, applyCalls, checkCalls, type TagCall, toTagCalls } from './applyChanges.ts'
import type { Config } from './configFile.ts'
import { type ConfigChange, type ConfigPlan, planConfig } from './configPlan.ts'
import { exportConfig } from './exportConfig.ts'
import type { Difference } from './secretPlan.ts'
import { readTeamState } from './teamState.ts'

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

type ConfigFlags = ApiFlags & { file?: string; secrets?: true; prune?: true; yes?: true; draft?: true; check?: true }

/** The configuration, and the folder to which its file references are relative. */
async function readConfigFile(
  { file = 'aglet.yaml' }: ConfigFlags,
  deps: ProgramDeps,
): Promise<{ config: Config; folder: string }> {
  const { parseConfig } = await import('./configFile.ts')
  if (file === '-') return { config: parseConfig(await deps.readInput()), folder: workingFolder(deps.env) }
  const path = resolve(workingFolder(deps.env), file)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new UsageError(`The file ${file} cannot be read. Choose another one with --file.`)
  }
  return { config: parseConfig(text), folder: dirname(path) }
}

/** A plan that the server has checked, and its API calls. */
type PlannedConfig = {
  plan: ConfigPlan
  alerts: AlertChanges
  context: ReferenceContext
  calls: TagCall[]
  warnings: string[]
  missingScopes: string[]
}

async function planFromFile(flags: ConfigFlags, api: Client, deps: ProgramDeps): Promise<PlannedConfig> {
  const { config, folder } = await readConfigFile(flags, deps)
  const context = { env: deps.env, folder }
  const { catalogue, ...state } = await readTeamState(api)
  const plan = planConfig(config, { ...state, catalogue }, { ...context, ...flags })
  if (plan.issues.length > 0)
    throw new UsageError(asSentence(plan.issues.map(({ path, message }) => `${path} ${message}`).join('; ')))
  const alerts = await planAlerts(config, { ...flags, tags: state.tags, context }, api)
  const planned = { plan, alerts, context }
  const me = await api.readMe()
  const missing = alertScopes(alerts).filter((scope) => !(me.scopes as readonly string[]).includes(scope))
  if (plan.changes.length === 0) return { ...planned, calls: [], warnings: [], missingScopes: missing }
  const sealing: ApplyDeps = { api, me, catalogue, context, ...(flags.draft && { draft: true }) }
  const calls = await toTagCalls(plan.changes, sealing)
  const checked = await checkCalls(calls, api)
  if (!flags.json) for (const warning of checked.warnings) deps.printError(`Warning: ${warning}\n`)
  return { ...planned, calls, ...checked, missingScopes: [...new Set([...checked.missingScopes, ...missing])] }
}

const scopesSentence = (scopes: readonly string[]) =>
  `This token lacks scopes that aglet apply needs: ${scopes.join(', ')}.`

async function refuseWithoutYes({ yes, json }: ConfigFlags, deps: ProgramDeps): Promise<void> {
  if (yes) return
  const answer = json ? undefined : await deps.ask('Make these changes? (yes) ')
  if (answer === undefined)
    throw new UsageError('Nothing was changed. Without a terminal, check with aglet plan and confirm with --yes.')
  if (answer.trim() !== 'yes') throw new Error('Nothing was changed.')
}

/** Without references to secrets; absent without differences. */
const alertsJson = (alerts: AlertChanges) =>
  countAlertChanges(alerts) === 0
    ? {}
    : { contactPoints: alerts.contactPoints.map(({ name }) => name), alerts: alerts.alerts.map(({ name }) => name) }

async function runPlan(flags: ConfigFlags, api: Client, deps: ProgramDeps): Promise<number> {
  const { plan, alerts, warnings, missingScopes } = await planFromFile(flags, api, deps)
  if (missingScopes.length > 0 && !flags.json) deps.printError(`Warning: ${scopesSentence(missingScopes)}\n`)
  const json = () => `${JSON.stringify({ ...toPlanJson(plan), ...alertsJson(alerts), warnings, missingScopes })}\n`
  deps.print(flags.json ? json() : formatPlan(plan) + formatAlertChanges(alerts))
  return plan.changes.length + countAlertChanges(alerts)
}

async function runApply(flags: ConfigFlags, api: Client, deps: ProgramDeps): Promise<void> {
  const { plan, alerts, context, calls, warnings, missingScopes } = await planFromFile(flags, api, deps)
  const changes = calls.length + countAlertChanges(alerts)
  if (missingScopes.length > 0) throw new Error(`${scopesSentence(missingScopes)} Nothing was changed.`)
  if (!flags.json) deps.print(formatPlan(plan) + formatAlertChanges(alerts))
  if (changes > 0) {
    await refuseWithoutYes(flags, deps)
    for (const error of await applyCalls(calls, api)) deps.printError(`Warning: ${error}\n`)
    for (const warning of await applyAlerts(alerts, context, api)) deps.printError(`Warning: ${warning}\n`)
  }
  if (flags.json) deps.print(`${JSON.stringify({ ...toPlanJson(plan), ...alertsJson(alerts), warnings })}\n`)
  else if (changes > 0) deps.print('Done.\n')
}

const addFileOptions = (command: Command) =>
  command
    .option('--file <path>', 'the file; - is standard input (aglet.yaml)')
    .option('--secrets', 'send every secret again, because stored values cannot be compared')
    .option('--prune', 'delete scripts that are not in the file, in the tags of the file')

function registerPull(program: Command, deps: ProgramDeps): void {
  const about = 'Writes the tags and scripts of the team to a file for plan and apply; secrets become references'
  const command = addApiCommand(program, 'pull', about).option('--file <path>', 'the file to write (standard output)')
  command.action(async ({ file, ...flags }: ConfigFlags) => {
    const config = await withApi(flags, deps, async (api) => {
      const state = await readTeamState(api)
      return { ...exportConfig(state), ...(await exportAlerts(state.tags, api)) }
    })
    const { formatConfig } = await import('./configFile.ts')
    const text = flags.json ? `${JSON.stringify(config)}\n` : formatConfig(config)
    if (file === undefined) deps.print(text)
    else writeFileSync(resolve(workingFolder(deps.env), file), text)
  })
}

/** Config as code: `pull`, `plan` and `apply`. */
export function registerConfig(program: Command, deps: ProgramDeps): void {
  registerPull(program, deps)
  addFileOptions(addApiCommand(program, 'plan', 'Shows how the team differs from a file; changes nothing'))
    .option('--check', 'exit with 3 if the team differs from the file')
    .action(async (flags: ConfigFlags) => {
      const changes = await withApi(flags, deps, (api) => runPlan(flags, api, deps))
      if (flags.check && changes > 0) throw endWith('drift')
    })
  addFileOptions(
    addApiCommand(program, 'apply', 'Shows how the team differs from a file, and changes the team to match it'),
  )
    .option('--yes', 'do not ask')
    .option('--draft', 'save scripts and do not deploy them; aglet deploy publishes them together')
    .action((flags: ConfigFlags) => withApi(flags, deps, (api) => runApply(flags, api, deps)))
}

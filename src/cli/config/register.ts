import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Client } from '#contract/client.ts'
import { folderOf } from '../api/folder.ts'
import { type ApiFlags, apiCommandOf, onApi } from '../api/register.ts'
import { WrongUsage } from '../call.ts'
import type { ProgramWorld } from '../world.ts'
import { applyAll } from './apply.ts'
import { type Config, configText, readConfig } from './file.ts'
import { type Plan, planOf } from './plan.ts'
import { configOf } from './pull.ts'
import { planJson, planText } from './show.ts'
import { readState, type State } from './state.ts'

type ConfigFlags = ApiFlags & { file?: string; secrets?: true; prune?: true; yes?: true; draft?: true }

/** The file, and the folder that its references begin in. */
async function readFrom(
  { file = 'aglet.yaml' }: ConfigFlags,
  on: ProgramWorld,
): Promise<{ config: Config; folder: string }> {
  if (file === '-') return { config: readConfig(await on.readInput()), folder: folderOf(on.env) }
  const path = resolve(folderOf(on.env), file)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new WrongUsage(`The file ${file} cannot be read: write another one with --file.`)
  }
  return { config: readConfig(text), folder: dirname(path) }
}

type Planned = { plan: Plan; state: State; place: { env: ProgramWorld['env']; folder: string } }

async function planWith(flags: ConfigFlags, api: Client, on: ProgramWorld): Promise<Planned> {
  const { config, folder } = await readFrom(flags, on)
  const place = { env: on.env, folder }
  const state = await readState(api)
  const plan = planOf(config, state, { ...place, ...flags })
  if (plan.issues.length > 0)
    throw new WrongUsage(`${plan.issues.map(({ path, message }) => `${path} ${message}`).join('; ')}.`)
  return { plan, state, place }
}

async function refuseWithoutYes({ yes, json }: ConfigFlags, on: ProgramWorld): Promise<void> {
  if (yes) return
  const answer = json ? undefined : await on.ask('Make these changes? (yes) ')
  if (answer === undefined) throw new WrongUsage('Nobody is here to ask: look at aglet plan, then write --yes.')
  if (answer.trim() !== 'yes') throw new Error('Nothing was changed.')
}

async function apply(flags: ConfigFlags, api: Client, on: ProgramWorld): Promise<void> {
  const { plan, state, place } = await planWith(flags, api, on)
  if (!flags.json) on.print(planText(plan))
  if (plan.changes.length > 0) {
    await refuseWithoutYes(flags, on)
    const { catalogue } = state
    await applyAll(plan.changes, { api, me: await api.readMe(), catalogue, place, ...(flags.draft && { draft: true }) })
  }
  if (flags.json) on.print(`${JSON.stringify(planJson(plan))}\n`)
  else if (plan.changes.length > 0) on.print('Done.\n')
}

const withFile = (command: Command) =>
  command
    .option('--file <path>', 'the file; - is standard input (aglet.yaml)')
    .option('--secrets', 'seal every secret anew: what is there cannot be compared')
    .option('--prune', 'delete scripts of its tags that the file does not name')

function registerPull(program: Command, on: ProgramWorld): void {
  const about = 'Writes the tags and scripts of the team as a file for plan and apply; secrets become references'
  const command = apiCommandOf(program, 'pull', about).option('--file <path>', 'where to (standard output)')
  command.action(async ({ file, ...flags }: ConfigFlags) => {
    const config = await onApi(flags, on, async (api) => configOf(await readState(api)))
    const text = flags.json ? `${JSON.stringify(config)}\n` : configText(config)
    if (file === undefined) on.print(text)
    else writeFileSync(resolve(folderOf(on.env), file), text)
  })
}

/** Config as code: `pull`, `plan` and `apply`. */
export function registerConfig(program: Command, on: ProgramWorld): void {
  registerPull(program, on)
  withFile(apiCommandOf(program, 'plan', 'Shows how the team differs from a file; changes nothing')).action(
    async (flags: ConfigFlags) => {
      const { plan } = await onApi(flags, on, (api) => planWith(flags, api, on))
      on.print(flags.json ? `${JSON.stringify(planJson(plan))}\n` : planText(plan))
    },
  )
  withFile(apiCommandOf(program, 'apply', 'Shows how the team differs from a file, and makes it the same'))
    .option('--yes', 'do not ask')
    .option('--draft', 'save scripts and do not deploy them; aglet deploy publishes them together')
    .action((flags: ConfigFlags) => onApi(flags, on, (api) => apply(flags, api, on)))
}

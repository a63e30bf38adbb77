import { type Command, Option } from 'commander'
import { ApiError, type Client } from '#contract/client.ts'
import { type Operation, type OperationId, operations } from '#contract/operations.ts'
import { WrongUsage } from '../call.ts'
import { commandOf, type Flags, Refused, settingsOf, show } from '../options.ts'
import type { ProgramWorld } from '../world.ts'
import { type ApiCommand, apiCommands } from './commands.ts'
import { accessOf, type ConnectionFlags, connect, reach } from './connection.ts'
import { type Field, fieldsOf, inputOf } from './fields.ts'
import { folderOf } from './folder.ts'
import { follow } from './follow.ts'
import { createScript, rollBack, type ScriptFlags, updateScript } from './scripts.ts'

export type ApiFlags = Flags & ConnectionFlags

const where = 'Where the API is:'
const connectionOptions = () => [
  new Option('--profile <name>', 'what aglet login kept (default)').helpGroup(where),
  new Option('--base-url <url>', 'its address, ending with /v1').helpGroup(where),
  new Option('--token <token>', 'an access token').helpGroup(where),
  new Option('--token-file <path>', 'a file with an access token').helpGroup(where),
  new Option('--team <teamId>', "the team (the token's own)").helpGroup(where),
]

/** A command that asks the API. */
export function apiCommandOf(program: Command, words: string, about: string): Command {
  const command = commandOf(program, words, about)
  for (const option of connectionOptions()) command.addOption(option)
  return command
}

/** Runs what asks the API; what it refuses is told in its own words. */
export async function onApi<Answer>(
  flags: ApiFlags,
  on: Pick<ProgramWorld, 'env'>,
  run: (api: Client) => Promise<Answer>,
): Promise<Answer> {
  const access = accessOf(flags, on.env)
  try {
    return await reach(access.baseUrl, connect(access).then(run))
  } catch (problem) {
    throw problem instanceof ApiError ? new Refused(problem.error) : problem
  }
}

function addField(command: Command, { name, part, kind, word, help, isRequired, choices }: Field): void {
  if (part === 'params') command.argument(`<${name}>`, help)
  else if (kind === 'flag') command.option(`--${word}`, help).option(`--no-${word}`, `not: ${help}`)
  else {
    const option = new Option(`--${word} <${kind === 'either' ? 'value' : kind}>`, help)
    command.addOption((choices ? option.choices(choices) : option).makeOptionMandatory(isRequired))
  }
}

const camel = (word: string) => word.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** What was written, by the names of the fields. */
function givenFor(fields: readonly Field[], args: readonly string[], flags: Readonly<Record<string, unknown>>) {
  const inPath = fields.filter(({ part }) => part === 'params')
  const named = fields.filter(({ part }) => part !== 'params')
  return Object.fromEntries([
    ...inPath.map(({ name }, at) => [name, args[at]]),
    ...named.map(({ name, word }) => [name, flags[camel(word)]]),
  ])
}

const collect = (value: string, before: string[] = []) => [...before, value]
const secretOptions = () => [
  new Option('--secret <VARIABLE=value>', 'a variable and its value; may be repeated').argParser(collect),
  new Option('--secret-env <VARIABLE=NAME>', 'the same from an environment variable').argParser(collect),
  new Option('--secret-file <VARIABLE=path>', 'the same from a file').argParser(collect),
  new Option('--draft', 'save it, and do not deploy it yet'),
]

type Input = Record<string, unknown>
type Run = (input: never, flags: ApiFlags & ScriptFlags, api: Client, on: ProgramWorld) => Promise<Input>
const placeOf = ({ env }: ProgramWorld) => ({ env, folder: folderOf(env) })

/** Scripts are written with their secrets sealed on the way, and updated field by field. */
const written: { [Id in OperationId]?: Run } = {
  createScript: (input, flags, api, on) => createScript(input, flags, api, placeOf(on)),
  updateScript: (input, flags, api, on) => updateScript(input, flags, api, placeOf(on)),
}
const hidden = ['secrets', 'shouldDeploy']
const kept = ['name', 'providerId']

/** The fields of an operation that are options here. */
export function shownFields(id: OperationId): Field[] {
  const fields = fieldsOf(operations[id])
  if (!written[id]) return fields
  const mayKeep = ({ name }: Field) => id === 'updateScript' && kept.includes(name)
  return fields
    .filter(({ name }) => !hidden.includes(name))
    .map((field) => (mayKeep(field) ? { ...field, isRequired: false } : field))
}

const callAsItIs =
  (id: OperationId): Run =>
  (input, _flags, api) =>
    (api[id] as (input: Input) => Promise<Input>)(input)

function register(program: Command, id: OperationId, { words, shows, of }: ApiCommand, on: ProgramWorld): void {
  const { summary, streams }: Operation = operations[id]
  const fields = shownFields(id)
  const command = apiCommandOf(program, words, summary)
  for (const field of fields) addField(command, field)
  if (written[id]) for (const option of secretOptions()) command.addOption(option)
  command.action(async () => {
    const flags: ApiFlags & ScriptFlags = command.opts()
    const input = inputOf(fields, givenFor(fields, command.args, flags))
    const isLocal = id === 'createTag' && asOperator(flags)
    const run = written[id] ?? callAsItIs(id)
    if (streams)
      return onApi(flags, on, async (api) => follow((await run(input as never, flags, api, on)) as never, flags, on))
    const answer = isLocal
      ? await makeTagHere(input.body as Input, flags, on)
      : await onApi(flags, on, (api) => run(input as never, flags, api, on))
    show(of && !flags.json ? { [of]: answer[of] } : answer, flags, on, isLocal ? undefined : shows)
    if (typeof answer.next === 'string' && !flags.json) on.complain(`There are more: --cursor ${answer.next}\n`)
  })
}

/** Whoever names a team and no address works on the data directory, as the operator. */
const asOperator = ({ team, baseUrl, token, tokenFile, profile }: ApiFlags) =>
  team !== undefined && [baseUrl, token, tokenFile, profile].every((each) => each === undefined)

async function makeTagHere(body: Input, { team, environment = 'production', data }: ApiFlags, on: ProgramWorld) {
  const { name, domain, ...others } = body
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new WrongUsage(
      `The operator gives a tag its name and domain; ${other} is set through the API: write --base-url.`,
    )
  const settings = settingsOf(data === undefined ? {} : { data }, on.env)
  const input = { team, name, domain }
  const outcome = await on.operate({ command: 'tag create', environment, input }, settings)
  if ('refused' in outcome) throw new Refused(outcome.refused)
  return outcome.result
}

function registerRollback(program: Command, on: ProgramWorld): void {
  const about = 'Makes an older deployment live again, as a new one; what is saved stays as it is'
  const command = apiCommandOf(program, 'rollback', about).argument('<tagId>', 'tag id')
  command.option('--to <number>', 'the deployment (the one before the live one)')
  command.action(async (tagId: string, { to, ...flags }: ApiFlags & { to?: string }) => {
    const fields = fieldsOf(operations.activateDeployment)
    const { number } = inputOf(fields, { tagId, ...(to !== undefined && { number: to }) }) as { number?: number }
    const asked = { tagId, ...(number !== undefined && { to: number }) }
    const deployment = await onApi(flags, on, (api) => rollBack(asked, api))
    show(deployment, flags, on, ['number', 'activates', 'at', 'by'])
  })
}

/** The commands of the API, one for each row of `apiCommands`, and what is made of several calls. */
export function registerApi(program: Command, on: ProgramWorld): void {
  for (const [id, command] of Object.entries(apiCommands)) register(program, id as OperationId, command, on)
  registerRollback(program, on)
}

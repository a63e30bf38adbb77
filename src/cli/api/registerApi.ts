import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ProgramDeps } from '#cli/cliDeps.ts'
import {
  addCommand,
  type CommandFlags,
  CommandRefused,
  endWith,
  printResult,
  readFlagSettings,
} from '#cli/commandOptions.ts'
import { UsageError } from '#cli/operatorCall.ts'
import { ApiError, type Client } from '#contract/client.ts'
import { closestName } from '#contract/closestName.ts'
import { type Operation, type OperationId, operations } from '#contract/operations.ts'
import type { WrittenScript } from '#contract/script.ts'
import type { FoundUsers } from '#contract/userRecord.ts'
import { type ApiCommand, apiCommands } from './apiCommands.ts'
import { buildInput, type CommandField, operationFields } from './commandFields.ts'
import { type ConnectionFlags, explainNoAnswer, openClient, resolveConnection } from './connection.ts'
import { type Erasure, erasePerson } from './erasePerson.ts'
import { printDeliveries } from './printDeliveries.ts'
import { toReadable } from './readableRows.ts'
import { createScript, patchScript, rollBack, type ScriptFlags } from './scriptCommands.ts'
import { workingFolder } from './workingFolder.ts'

export type ApiFlags = CommandFlags & ConnectionFlags

const connectionHelpGroup = 'Connection to the API:'
const connectionOptions = () => [
  new Option('--profile <name>', 'a profile that aglet login stored (default)').helpGroup(connectionHelpGroup),
  new Option('--base-url <url>', 'the address of the API, ending with /v1').helpGroup(connectionHelpGroup),
  new Option('--token <token>', 'an access token').helpGroup(connectionHelpGroup),
  new Option('--token-file <path>', 'a file with an access token').helpGroup(connectionHelpGroup),
  new Option('--team <teamId>', "the team (the token's own)").helpGroup(connectionHelpGroup),
]

/** Adds a command that calls the API, with the connection options. */
export function addApiCommand(program: Command, words: string, about: string): Command {
  const command = addCommand(program, words, about)
  for (const option of connectionOptions()) command.addOption(option)
  return command
}

/** Runs a function with a client of the API. An ApiError becomes a CommandRefused with the same message. */
export async function withApi<Answer>(
  flags: ApiFlags,
  deps: Pick<ProgramDeps, 'env'>,
  run: (api: Client) => Promise<Answer>,
): Promise<Answer> {
  const connection = resolveConnection(flags, deps.env)
  try {
    return await explainNoAnswer(connection.baseUrl, openClient(connection).then(run))
  } catch (problem) {
    throw problem instanceof ApiError ? new CommandRefused(problem.error) : problem
  }
}

/** An option with a fixed set of values; for any other value it suggests the nearest one. */
const withChoices = (option: Option, choices: readonly string[]) =>
  option.choices(choices).argParser((given: string) => {
    if (choices.includes(given)) return given
    const meant = closestName(given, choices)
    throw new InvalidArgumentError(meant ? `Did you mean ${meant}?` : `Allowed choices are ${choices.join(', ')}.`)
  })

function addFieldOption(command: Command, { name, part, kind, word, help, isRequired, choices }: CommandField): void {
  if (part === 'params') command.argument(`<${name}>`, help)
  else if (kind === 'flag')
    command.option(`--${word}`, help).addOption(new Option(`--no-${word}`, `not: ${help}`).hideHelp())
  else {
    const option = new Option(`--${word} <${kind === 'either' ? 'value' : kind}>`, help)
    command.addOption((choices ? withChoices(option, choices) : option).makeOptionMandatory(isRequired))
  }
}

const camelCase = (word: string) => word.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The given arguments and options, by field name. */
function collectValues(
  fields: readonly CommandField[],
  args: readonly string[],
  flags: Readonly<Record<string, unknown>>,
) {
  const params = fields.filter(({ part }) => part === 'params')
  const options = fields.filter(({ part }) => part !== 'params')
  return Object.fromEntries([
    ...params.map(({ name }, at) => [name, args[at]]),
    ...options.map(({ name, word }) => [name, flags[camelCase(word)]]),
  ])
}

const collect = (value: string, earlier: string[] = []) => [...earlier, value]
const secretOptions = () => [
  new Option(
    '--secret <VARIABLE=value>',
    'a variable and its value, - reads standard input; may be repeated',
  ).argParser(collect),
  new Option('--secret-env <VARIABLE=NAME>', 'the same from an environment variable').argParser(collect),
  new Option('--secret-file <VARIABLE=path>', 'the same from a file').argParser(collect),
  new Option('--draft', 'save the script without deploying it'),
]

type OperationValues = Record<string, unknown>
type RunOperation = (
  input: never,
  flags: ApiFlags & ScriptFlags,
  api: Client,
  deps: ProgramDeps,
) => Promise<OperationValues>
const referenceContext = ({ env, readInput }: ProgramDeps) => ({ env, folder: workingFolder(env), readInput })

/** Commands that seal the secrets of a script before sending it. */
const scriptWriteCommands: { [Id in OperationId]?: RunOperation } = {
  createScript: (input, flags, api, deps) => createScript(input, flags, api, referenceContext(deps)),
  patchScript: (input, flags, api, deps) => patchScript(input, flags, api, referenceContext(deps)),
}
const hiddenFields = ['secrets', 'shouldDeploy']

/** The fields of an operation that its command has as arguments or options. */
export function commandFields(id: OperationId): CommandField[] {
  const fields = operationFields(operations[id])
  if (!scriptWriteCommands[id]) return fields
  return fields.filter(({ name }) => !hiddenFields.includes(name))
}

/** Warns about saved changes that are still drafts after a write. */
function printNotLive(
  { notLive = [] }: Pick<WrittenScript, 'notLive'>,
  { printError }: Pick<ProgramDeps, 'printError'>,
) {
  if (notLive.length === 0) return
  const names = notLive.map(({ name }) => name).join(', ')
  printError(`Not live yet: ${names}. aglet draft shows the changes, aglet deploy publishes them.\n`)
}

/** Reports the range of a search, and the users that it could not list. */
function printSearched(
  { searched, eventsFrom, isCrowded }: FoundUsers,
  { printError }: Pick<ProgramDeps, 'printError'>,
) {
  const from = eventsFrom === undefined ? '' : `, back to ${new Date(eventsFrom).toISOString()}`
  printError(`Searched: ${searched.join(', ')}${from}.\n`)
  if (isCrowded) printError('More users match than can be listed.\n')
}

const countOf = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`

const callOperation =
  (id: OperationId): RunOperation =>
  (input, _flags, api) =>
    (api[id] as (input: OperationValues) => Promise<OperationValues>)(input)

/** Prints the text of an export as it arrives. */
async function printParts(parts: AsyncIterable<string>, { print }: Pick<ProgramDeps, 'print'>): Promise<void> {
  for await (const part of parts) print(part)
}

function registerOperation(
  program: Command,
  id: OperationId,
  { words, columns, member, sentence, text }: ApiCommand,
  deps: ProgramDeps,
): void {
  const { summary, isStream, isExport }: Operation = operations[id]
  const fields = commandFields(id)
  const command = addApiCommand(program, words, summary)
  for (const field of fields) addFieldOption(command, field)
  if (scriptWriteCommands[id]) for (const option of secretOptions()) command.addOption(option)
  command.action(async () => {
    const flags: ApiFlags & ScriptFlags = command.opts()
    const input = buildInput(fields, collectValues(fields, command.args, flags))
    const isLocal = id === 'createTag' && isOperatorCall(flags)
    const run = scriptWriteCommands[id] ?? callOperation(id)
    if (isStream)
      return withApi(flags, deps, async (api) =>
        printDeliveries((await run(input as never, flags, api, deps)) as never, flags, deps),
      )
    if (isExport)
      return withApi(flags, deps, async (api) =>
        printParts((await run(input as never, flags, api, deps)) as never, deps),
      )
    const answer = isLocal
      ? await createTagAsOperator(input.body as OperationValues, flags, deps)
      : await withApi(flags, deps, (api) => run(input as never, flags, api, deps))
    const { body, ...named } = input
    const shown = flags.json ? answer : toReadable({ ...(sentence && { ...(body as object), ...named }), ...answer })
    if (text && !flags.json) deps.print(text(answer))
    else
      printResult(member && !flags.json ? { [member]: answer[member] } : shown, flags, deps, {
        names: columns,
        sentence,
      })
    if (Array.isArray(answer.warnings) && !flags.json)
      for (const warning of answer.warnings) deps.printError(`Warning: ${warning}\n`)
    if (scriptWriteCommands[id] && !flags.json) printNotLive(answer, deps)
    if (id === 'findUser' && !flags.json) printSearched(answer as FoundUsers, deps)
    if (typeof answer.next === 'string' && !flags.json) deps.printError(`For the next page: --cursor ${answer.next}\n`)
  })
}

/** A team without a connection means an operator command on the data directory. */
const isOperatorCall = ({ team, baseUrl, token, tokenFile, profile }: ApiFlags) =>
  team !== undefined && [baseUrl, token, tokenFile, profile].every((each) => each === undefined)

async function createTagAsOperator(
  body: OperationValues,
  { team, environment = 'production', data }: ApiFlags,
  deps: ProgramDeps,
) {
  const { name, domain, ...others } = body
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new UsageError(
      `Without --base-url you can only set the name and the domain of a tag. To set ${other}, write --base-url.`,
    )
  const settings = readFlagSettings(data === undefined ? {} : { data }, deps.env)
  const input = { team, name, domain }
  const outcome = await deps.operate({ command: 'tag create', environment, input }, settings)
  if ('refused' in outcome) throw new CommandRefused(outcome.refused)
  return outcome.result
}

function registerRollback(program: Command, deps: ProgramDeps): void {
  const about = 'Makes an older deployment live again as a new deployment; saved drafts do not change'
  const command = addApiCommand(program, 'rollback', about).argument('<tagId>', 'tag id')
  command.option('--to <number>', 'the number of the deployment (the one before the live one)')
  command.action(async (tagId: string, { to, ...flags }: ApiFlags & { to?: string }) => {
    const fields = operationFields(operations.activateDeployment)
    const { number } = buildInput(fields, { tagId, ...(to !== undefined && { number: to }) }) as { number?: number }
    const target = { tagId, ...(number !== undefined && { to: number }) }
    const deployment = await withApi(flags, deps, (api) => rollBack(target, api))
    printResult({ ...deployment }, flags, deps, {
      sentence: 'Deployment {number} is live, with the content of deployment {activates}.',
    })
  })
}

type EraseFlags = ApiFlags & { email?: string; yes?: true }

function printErasure({ users, events, searched, isCrowded }: Erasure, flags: EraseFlags, deps: ProgramDeps): void {
  const nobody = `No user found for ${flags.email}. Searched: ${searched.join(', ')}.`
  const sentence =
    users.length > 0 ? `Erased ${countOf(users.length, 'user')} with ${countOf(events, 'event')}.` : nobody
  printResult({ users, events, searched, ...(isCrowded && { isCrowded }) }, flags, deps, { sentence })
  if (!isCrowded) return
  deps.printError('Too many users have this e-mail to list them, so users without an event were not erased.\n')
  throw endWith('failed')
}

function registerErase(program: Command, deps: ProgramDeps): void {
  const about = 'Erases a user, or every user found by an e-mail, with all events, including waiting events'
  const command = addApiCommand(program, 'user erase', about).argument('<tagId>', 'tag id')
  command.argument('[userId]', 'user id; erases this user without confirmation')
  command.option('--email <text>', 'every user found by this e-mail; lists them and asks for confirmation')
  command.option('--yes', 'do not ask')
  command.action(async (tagId: string, userId: string | undefined, { email, yes, ...flags }: EraseFlags) => {
    if ((userId === undefined) === (email === undefined)) throw new UsageError('Write either a user id or --email.')
    if (userId !== undefined) {
      const erased = await withApi(flags, deps, (api) => api.eraseUser({ tagId, userId }))
      return printResult(erased, flags, deps, { sentence: 'Erased user {userId}.' })
    }
    const request = { tagId, email: email!, isAgreed: yes === true, isSilent: flags.json === true }
    const erasure = await withApi(flags, deps, (api) => erasePerson(request, api, deps))
    printErasure(erasure, { ...flags, email: email! }, deps)
  })
}

/** Registers a command for each row of `apiCommands`, and the commands that need several calls. */
export function registerApi(program: Command, deps: ProgramDeps): void {
  for (const [id, command] of Object.entries(apiCommands)) registerOperation(program, id as OperationId, command, deps)
  registerRollback(program, deps)
  registerErase(program, deps)
}

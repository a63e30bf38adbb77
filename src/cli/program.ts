import { resolve } from 'node:path'
import completion from '@bomb.sh/tab/commander'
import { Command, CommanderError, Option } from 'commander'
import { SettingsError, settingFlags } from '#settings/settings.ts'
import { registerProfiles } from './api/profileCommands.ts'
import { registerApi } from './api/registerApi.ts'
import { workingFolder } from './api/workingFolder.ts'
import type { ProgramDeps } from './cliDeps.ts'
import {
  addCommand,
  type CommandFlags,
  CommandRefused,
  commandGroup,
  endWith,
  exitCodes,
  jsonOption,
  printResult,
  readFlagSettings,
  settingOption,
} from './commandOptions.ts'
import { type CommandSpec, operatorCommandSpecs, sealCommandSpec } from './commandSpecs.ts'
import { registerConfig } from './config/registerConfig.ts'
import { registerImport } from './import/registerImport.ts'
import { UsageError } from './operatorCall.ts'
import { registerOrderImport } from './order/registerOrderImport.ts'
import { type SealRequest, sealSecret } from './sealSecret.ts'
import { readVendorFile } from './vendors/vendorFile.ts'

export type { ProgramDeps }

function addServeCommand(program: Command, deps: ProgramDeps): void {
  const command = program.command('serve').description('Starts Aglet; the first start creates a demo')
  command.option('--json', 'the addresses as one JSON value on standard output')
  command.option('--sign-in', 'print a new link that signs the operator in once')
  for (const { name } of settingFlags) command.addOption(settingOption(name))
  command.action(({ json, signIn, ...settings }: CommandFlags & { signIn?: true }) => {
    return deps.serve(readFlagSettings(settings, deps.env), { asJson: json === true, signIn: signIn === true })
  })
}

function addSubCommand(program: Command, { words, about, options }: CommandSpec): Command {
  const command = addCommand(program, words, about)
  for (const { flag, help, isOptional, choices } of options) {
    const option = choices ? new Option(flag, help).choices(choices) : new Option(flag, help)
    command.addOption(isOptional ? option : option.makeOptionMandatory())
  }
  return command
}

function addOperatorCommand(program: Command, spec: CommandSpec, deps: ProgramDeps): void {
  addSubCommand(program, spec).action(async ({ json, environment = 'production', data, ...input }: CommandFlags) => {
    const settings = readFlagSettings(data === undefined ? {} : { data }, deps.env)
    const outcome = await deps.operate({ command: spec.words, environment, input }, settings)
    if ('refused' in outcome) throw new CommandRefused(outcome.refused)
    printResult(outcome.result, { ...(json && { json }) }, deps, { sentence: spec.sentence })
  })
}

const vendorsAbout = {
  update: 'Loads a complete Global Vendor List (vendor-list.json, version 3) for the environment',
  show: 'Shows the Global Vendor List of the environment, and its entries for the vendors of the channels',
}

/** The Global Vendor List of an environment. The file is read and checked here; the server receives a summary. */
function addVendorCommands(program: Command, deps: ProgramDeps): void {
  const operate = async (words: string, input: Record<string, unknown>, flags: CommandFlags, sentence?: string) => {
    const { json, environment = 'production', data } = flags
    const settings = readFlagSettings(data === undefined ? {} : { data }, deps.env)
    const outcome = await deps.operate({ command: words, environment, input }, settings)
    if ('refused' in outcome) throw new CommandRefused(outcome.refused)
    printResult(outcome.result, { ...(json && { json }) }, deps, { sentence })
  }
  const vendors = commandGroup(commandGroup(program, 'consent'), 'vendors')
  addCommand(vendors, 'update', vendorsAbout.update)
    .argument('<file>', 'the file of the list')
    .action((file: string, flags: CommandFlags) => {
      const list = readVendorFile(resolve(workingFolder(deps.env), file))
      const sentence = 'Vendor list {version} of {date}, with {vendors} vendors.'
      return operate('consent vendors update', { list }, flags, sentence)
    })
  addCommand(vendors, 'show', vendorsAbout.show).action((flags: CommandFlags) =>
    operate('consent vendors show', {}, flags),
  )
}

function addSealCommand(program: Command, deps: ProgramDeps): void {
  addSubCommand(program, sealCommandSpec).action(async ({ json, value, ...request }: CommandFlags & SealRequest) => {
    const plaintext = value === '-' ? (await deps.readInput()).replace(/\r?\n$/, '') : value
    const entry = await sealSecret({ ...request, value: plaintext })
    deps.print(`${JSON.stringify(entry, undefined, json ? undefined : 2)}\n`)
  })
}

function addInitCommand(program: Command, deps: ProgramDeps): void {
  const about = 'Creates a data directory with its root key; serve does so too'
  const command = program.command('init').description(about).addOption(jsonOption()).addOption(settingOption('data'))
  command.action(async ({ json, data }: CommandFlags) => {
    const settings = readFlagSettings(data === undefined ? {} : { data }, deps.env)
    const sentence = 'The data directory {data} exists. Start the server with: aglet serve --data {data}'
    printResult(await deps.init(settings), { ...(json && { json }) }, deps, { sentence })
  })
}

function addDoctorCommand(program: Command, deps: ProgramDeps): void {
  const command = addCommand(program, 'doctor', 'Checks the data directory and its server')
  command.action(async ({ json, data }: CommandFlags) => {
    const checks = await deps.doctor(readFlagSettings(data === undefined ? {} : { data }, deps.env))
    const ok = checks.every((check) => check.ok)
    if (json) deps.print(`${JSON.stringify({ ok, checks })}\n`)
    else for (const check of checks) deps.print(`${check.ok ? 'ok  ' : 'BAD '} ${check.name}: ${check.message}\n`)
    if (!ok) throw endWith('failed')
  })
}

/** A command that reads JSON lines and writes one result for each; it needs no server. */
function addLinesCommand(program: Command, words: 'preview' | 'simulate', about: string, deps: ProgramDeps): void {
  addCommand(program, words, about).action(async ({ data }: CommandFlags) => {
    const isGood = await deps[words](readFlagSettings(data === undefined ? {} : { data }, deps.env))
    if (isGood === false) throw endWith('failed')
  })
}

type FileFlags = CommandFlags & { withRootKey?: true; force?: true }

/** A command on the whole data directory and one file. It concerns both environments, so it has no `--environment`. */
function addFileCommand(
  program: Command,
  { words, about, flag, help }: { words: 'backup' | 'restore'; about: string; flag: string; help: string },
  deps: ProgramDeps,
): void {
  const command = program.command(words).description(about).argument('<file>', 'the file of the backup')
  command.option(flag, help).option('--json', 'one JSON value on standard output, nothing else')
  command.addOption(settingOption('data')).action(async (file: string, { json, data, ...flags }: FileFlags) => {
    const settings = readFlagSettings(data === undefined ? {} : { data }, deps.env)
    printResult(await deps[words]({ file, ...flags }, settings), { ...(json && { json }) }, deps)
  })
}

const backupSpec = {
  words: 'backup',
  about: 'Writes all stored data into one file; the server may be running',
  flag: '--with-root-key',
  help: 'include the root key; the backup cannot be decrypted without it',
} as const
const restoreSpec = {
  words: 'restore',
  about: 'Restores a backup into a data directory that no server uses, or into an empty AGLET_DATABASE_URL',
  flag: '--force',
  help: 'restore into a directory that is not empty; its data is moved aside, not deleted',
} as const

/** The commands by first word, in the order of the help. */
const helpGroups: Readonly<Record<string, readonly string[]>> = {
  'The server and its data:': ['serve', 'init', 'doctor', 'backup', 'restore', 'key', 'consent'],
  'Teams and access:': [
    'sign-in',
    'team',
    'token',
    'application',
    'member',
    'invitation',
    'email',
    'person',
    'policy',
    'audit',
    'me',
  ],
  'Tags and channels:': [
    'tag',
    'script',
    'channel',
    'deploy',
    'deployment',
    'draft',
    'rollback',
    'hook',
    'manifest',
    'keys',
    'secret',
  ],
  'Events and deliveries:': [
    'event',
    'funnel',
    'intake',
    'delivery',
    'live',
    'stats',
    'match-quality',
    'user',
    'replay',
    'order',
    'alert',
    'alert-rule',
    'incident',
    'contact-point',
  ],
  'Configuration as code:': ['pull', 'plan', 'apply', 'import'],
  'Trying channels and code:': ['preview', 'preview-link', 'simulate'],
  'This machine:': ['login', 'logout', 'profile', 'completion'],
}

function groupCommands(program: Command): void {
  for (const [heading, names] of Object.entries(helpGroups))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading)
}

/** The program with every command. */
export function createProgram(deps: ProgramDeps): Command {
  const program = new Command('aglet')
    .description('Tag delivery: events in, every channel accounted for')
    .version(deps.version)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: deps.print,
      writeErr: deps.printError,
      outputError: (text, write) =>
        write(
          `${text
            .trim()
            .replace(/^error: /, '')
            .replace(/\n+/g, ' ')}\n`,
        ),
    })
  addServeCommand(program, deps)
  addInitCommand(program, deps)
  for (const spec of operatorCommandSpecs) addOperatorCommand(program, spec, deps)
  registerApi(program, deps)
  registerOrderImport(program, deps)
  registerProfiles(program, deps)
  registerConfig(program, deps)
  registerImport(program, deps)
  addSealCommand(program, deps)
  addVendorCommands(program, deps)
  addLinesCommand(
    program,
    'preview',
    'Reads JSON lines and writes the requests that they would send as JSON lines',
    deps,
  )
  addLinesCommand(
    program,
    'simulate',
    'Runs code of the playground or of a webhook: reads JSON lines, writes the requests as JSON lines',
    deps,
  )
  addDoctorCommand(program, deps)
  addFileCommand(program, backupSpec, deps)
  addFileCommand(program, restoreSpec, deps)
  // Last, because completion covers the commands registered so far.
  completion(program, { completionCommandName: 'completion' })
  groupCommands(program)
  return program
}

/** A bug is printed with its stack, any other error with its message only. */
const isBug = (problem: unknown) =>
  !(problem instanceof Error) || ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'].includes(problem.name)

function toExitCode(problem: unknown, deps: ProgramDeps): number {
  if (problem instanceof CommanderError) {
    const isHelp = problem.exitCode === 0 // --help and --version
    return isHelp || problem.code.startsWith('aglet.') ? problem.exitCode : exitCodes.wrongUsage
  }
  deps.printError(`${isBug(problem) ? (problem as Error).stack : (problem as Error).message}\n`)
  if (problem instanceof SettingsError || problem instanceof UsageError) return exitCodes.wrongUsage
  return problem instanceof CommandRefused ? problem.exitCode : exitCodes.failed
}

/** Runs one command line. Resolves with the exit code: 0 done, 1 failed, 2 wrong usage, 3 drift or unfinished. */
export async function runProgram(words: readonly string[], deps: ProgramDeps): Promise<number> {
  try {
    await createProgram(deps).parseAsync([...words], { from: 'user' })
    return exitCodes.done
  } catch (problem) {
    return toExitCode(problem, deps)
  }
}

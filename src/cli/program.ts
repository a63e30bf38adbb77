import completion from '@bomb.sh/tab/commander'
import { Command, CommanderError, Option } from 'commander'
import { SettingsProblem, settingFlags } from '#contract/settings.ts'
import { registerProfiles } from './api/login.ts'
import { registerApi } from './api/register.ts'
import { WrongUsage } from './call.ts'
import { operatorCommands, sealWords, type Words } from './commands.ts'
import { registerConfig } from './config/register.ts'
import { commandOf, exits, type Flags, Refused, settingOption, settingsOf, show } from './options.ts'
import { type SealAsked, sealSecret } from './seal.ts'
import type { ProgramWorld } from './world.ts'

export type { ProgramWorld }

function serveCommand(program: Command, on: ProgramWorld): void {
  const command = program.command('serve').description('Starts Aglet; makes what a first start needs')
  command.option('--json', 'the addresses as one JSON value on standard output')
  command.option('--sign-in', 'print a new link that signs the operator in, once')
  for (const { name } of settingFlags) command.addOption(settingOption(name))
  command.action(({ json, signIn, ...settings }: Flags & { signIn?: true }) => {
    return on.serve(settingsOf(settings, on.env), { asJson: json === true, signIn: signIn === true })
  })
}

function subCommand(program: Command, { words, about, takes }: Words): Command {
  const command = commandOf(program, words, about)
  for (const { flag, help, isOptional, choices } of takes) {
    const option = choices ? new Option(flag, help).choices(choices) : new Option(flag, help)
    command.addOption(isOptional ? option : option.makeOptionMandatory())
  }
  return command
}

function operatorCommand(program: Command, words: Words, on: ProgramWorld): void {
  subCommand(program, words).action(async ({ json, environment = 'production', data, ...input }: Flags) => {
    const settings = settingsOf(data === undefined ? {} : { data }, on.env)
    const outcome = await on.operate({ command: words.words, environment, input }, settings)
    if ('refused' in outcome) throw new Refused(outcome.refused)
    show(outcome.result, { ...(json && { json }) }, on)
  })
}

function sealCommand(program: Command, on: ProgramWorld): void {
  subCommand(program, sealWords).action(async ({ json, value, ...asked }: Flags & SealAsked) => {
    const plaintext = value === '-' ? (await on.readInput()).replace(/\r?\n$/, '') : value
    const entry = await sealSecret({ ...asked, value: plaintext })
    on.print(`${JSON.stringify(entry, undefined, json ? undefined : 2)}\n`)
  })
}

function doctorCommand(program: Command, on: ProgramWorld): void {
  const command = commandOf(program, 'doctor', 'Looks whether the data directory is as it must be')
  command.action(async ({ json, data }: Flags) => {
    const checks = await on.doctor(settingsOf(data === undefined ? {} : { data }, on.env))
    const ok = checks.every((check) => check.ok)
    if (json) on.print(`${JSON.stringify({ ok, checks })}\n`)
    else for (const check of checks) on.print(`${check.ok ? 'ok  ' : 'BAD '} ${check.name}: ${check.message}\n`)
    if (!ok) throw new CommanderError(exits.failed, 'aglet.unwell', '')
  })
}

/** What reads JSON lines and writes one for each: it needs no server. */
function linesCommand(program: Command, words: 'preview' | 'simulate', about: string, on: ProgramWorld): void {
  commandOf(program, words, about).action(({ data }: Flags) =>
    on[words](settingsOf(data === undefined ? {} : { data }, on.env)),
  )
}

type FileFlags = Flags & { withRootKey?: true; force?: true }

/** What is done with the whole data directory and one file: both environments, so it takes none. */
function fileCommand(
  program: Command,
  { words, about, flag, help }: { words: 'backup' | 'restore'; about: string; flag: string; help: string },
  on: ProgramWorld,
): void {
  const command = program.command(words).description(about).argument('<file>', 'the file of the backup')
  command.option(flag, help).option('--json', 'one JSON value on standard output, nothing else')
  command.addOption(settingOption('data')).action(async (file: string, { json, data, ...flags }: FileFlags) => {
    const settings = settingsOf(data === undefined ? {} : { data }, on.env)
    show(await on[words]({ file, ...flags }, settings), { ...(json && { json }) }, on)
  })
}

const backupWords = {
  words: 'backup',
  about: 'Writes everything that is kept into one file, while the server runs or not',
  flag: '--with-root-key',
  help: 'the root key as well; without it the backup is of no use to a thief',
} as const
const restoreWords = {
  words: 'restore',
  about: 'Puts a backup into a data directory that no server has',
  flag: '--force',
  help: 'also where there is something; that is moved aside, not deleted',
} as const

/** Every command there is, on this world. */
export function programOf(on: ProgramWorld): Command {
  const program = new Command('aglet')
    .description('Tag delivery: events in, every channel accounted for')
    .version(on.version)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: on.print,
      writeErr: on.complain,
      outputError: (text, write) =>
        write(
          `${text
            .trim()
            .replace(/^error: /, '')
            .replace(/\n+/g, ' ')}\n`,
        ),
    })
  serveCommand(program, on)
  for (const words of operatorCommands) operatorCommand(program, words, on)
  registerApi(program, on)
  registerProfiles(program, on)
  registerConfig(program, on)
  sealCommand(program, on)
  linesCommand(program, 'preview', 'JSON lines in, the requests they would send as JSON lines out', on)
  linesCommand(
    program,
    'simulate',
    'Runs code of the playground or of a webhook: JSON lines in, what it would send as JSON lines out',
    on,
  )
  doctorCommand(program, on)
  fileCommand(program, backupWords, on)
  fileCommand(program, restoreWords, on)
  // Last: it offers the commands that are there.
  completion(program, { completionCommandName: 'completion' })
  return program
}

/** A mistake of ours keeps its stack; what an operator can mend is a sentence. */
const isBug = (problem: unknown) =>
  !(problem instanceof Error) || ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'].includes(problem.name)

function exitOf(problem: unknown, on: ProgramWorld): number {
  if (problem instanceof CommanderError) {
    const isAsked = problem.exitCode === 0 // --help and --version
    return isAsked ? exits.done : problem.code === 'aglet.unwell' ? exits.failed : exits.wrongUsage
  }
  on.complain(`${isBug(problem) ? (problem as Error).stack : (problem as Error).message}\n`)
  if (problem instanceof SettingsProblem || problem instanceof WrongUsage) return exits.wrongUsage
  return problem instanceof Refused ? problem.exit : exits.failed
}

/** Runs one command line. Resolves with the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runProgram(words: readonly string[], on: ProgramWorld): Promise<number> {
  try {
    await programOf(on).parseAsync([...words], { from: 'user' })
    return exits.done
  } catch (problem) {
    return exitOf(problem, on)
  }
}

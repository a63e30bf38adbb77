import type { Command } from 'commander'
import type { ProgramDeps } from '#cli/cliDeps.ts'
import { addCommand, printResult } from '#cli/commandOptions.ts'
import { UsageError } from '#cli/operatorCall.ts'
import { client } from '#contract/client.ts'
import { resolveConnection } from './connection.ts'
import { deleteProfile, readProfiles, saveProfile } from './profiles.ts'
import { type ApiFlags, addApiCommand, withApi } from './registerApi.ts'

/** Reads the token from standard input for `--token -`, so that no process list shows it. */
async function withToken(flags: ApiFlags, deps: ProgramDeps): Promise<ApiFlags> {
  return flags.token === '-' ? { ...flags, token: (await deps.readInput()).trim() } : flags
}

function registerLogin(program: Command, deps: ProgramDeps): void {
  const about = 'Checks an address and a token and stores them as a profile; --token - reads standard input'
  addApiCommand(program, 'login', about).action(async (input: ApiFlags) => {
    const { profile = 'default', ...flags } = await withToken(input, deps)
    if (flags.baseUrl === undefined) throw new UsageError('aglet login needs --base-url.')
    const { baseUrl, token } = resolveConnection(flags, deps.env)
    const { teamId, environment } = await withApi(flags, deps, () => client({ baseUrl, token }).readMe())
    saveProfile(profile, environment, { baseUrl, token, team: teamId }, deps.env)
    printResult({ profile, environment, teamId }, flags, deps)
  })
}

function registerLogout(program: Command, deps: ProgramDeps): void {
  const command = addCommand(
    program,
    'logout',
    'Deletes a profile from this machine; its token stays valid until it expires',
  )
  command.option('--profile <name>', 'the profile (default)')
  command.action(({ profile = 'default', environment = 'production', ...flags }: ApiFlags) => {
    if (!deleteProfile(profile, environment, deps.env))
      throw new UsageError(`Profile ${profile} not found for ${environment}.`)
    printResult({ profile, environment }, flags, deps)
  })
}

function registerList(program: Command, deps: ProgramDeps): void {
  addCommand(program, 'profile list', 'Lists the profiles of this machine, without their tokens').action(
    (flags: ApiFlags) => {
      const profiles = Object.entries(readProfiles(deps.env)).flatMap(([profile, connections]) =>
        Object.entries(connections).map(([environment, { baseUrl, team }]) => ({
          profile,
          environment,
          baseUrl,
          team,
        })),
      )
      printResult({ profiles }, flags, deps)
    },
  )
}

export function registerProfiles(program: Command, deps: ProgramDeps): void {
  registerLogin(program, deps)
  registerLogout(program, deps)
  registerList(program, deps)
}

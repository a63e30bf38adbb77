import type { Command } from 'commander'
import { client } from '#contract/client.ts'
import { WrongUsage } from '../call.ts'
import { commandOf, show } from '../options.ts'
import type { ProgramWorld } from '../world.ts'
import { accessOf } from './connection.ts'
import { dropProfile, keepProfile, readProfiles } from './profiles.ts'
import { type ApiFlags, apiCommandOf, onApi } from './register.ts'

/** The token of the flags, or of standard input where they say `-`: there no list of processes shows it. */
async function withToken(flags: ApiFlags, on: ProgramWorld): Promise<ApiFlags> {
  return flags.token === '-' ? { ...flags, token: (await on.readInput()).trim() } : flags
}

function registerLogin(program: Command, on: ProgramWorld): void {
  const about = 'Keeps an address and a token as a profile, once they are found good; --token - reads standard input'
  apiCommandOf(program, 'login', about).action(async (given: ApiFlags) => {
    const { profile = 'default', ...flags } = await withToken(given, on)
    if (flags.baseUrl === undefined) throw new WrongUsage('aglet login needs --base-url.')
    const { baseUrl, token } = accessOf(flags, on.env)
    const { teamId, environment } = await onApi(flags, on, () => client({ baseUrl, token }).readMe())
    keepProfile(profile, environment, { baseUrl, token, team: teamId }, on.env)
    show({ profile, environment, teamId }, flags, on)
  })
}

function registerLogout(program: Command, on: ProgramWorld): void {
  const command = commandOf(program, 'logout', 'Forgets a profile of this machine; its token stays good until it ends')
  command.option('--profile <name>', 'the profile (default)')
  command.action(({ profile = 'default', environment = 'production', ...flags }: ApiFlags) => {
    if (!dropProfile(profile, environment, on.env))
      throw new WrongUsage(`There is no profile ${profile} for ${environment}.`)
    show({ profile, environment }, flags, on)
  })
}

function registerList(program: Command, on: ProgramWorld): void {
  commandOf(program, 'profile list', 'The profiles of this machine, without their tokens').action((flags: ApiFlags) => {
    const profiles = Object.entries(readProfiles(on.env)).flatMap(([profile, kept]) =>
      Object.entries(kept).map(([environment, { baseUrl, team }]) => ({ profile, environment, baseUrl, team })),
    )
    show({ profiles }, flags, on)
  })
}

export function registerProfiles(program: Command, on: ProgramWorld): void {
  registerLogin(program, on)
  registerLogout(program, on)
  registerList(program, on)
}

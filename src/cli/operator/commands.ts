import { approveApplication, showApplication } from '#account/application.ts'
import { makeEmailLink, waitingEmails } from '#account/emailChange.ts'
import { createTeam } from '#account/team.ts'
import { createToken, parseDuration, revokeToken } from '#account/token.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { check, type Static, type TObject, Type } from '#contract/schema.ts'
import { TagWrite } from '#contract/tag.ts'
import { latestOf, publishPolicy, readPolicyName } from '#policy/policy.ts'
import { createTag } from '#tag/tag.ts'
import type { Call } from '../call.ts'
import type { Home } from './home.ts'
import { rotateKeys } from './rotation.ts'

const Text = Type.String()
const operator = 'operator'

/** One command of the operator: what it takes, and what it does in one environment. */
type Command<Takes extends TObject = TObject> = {
  takes: Takes
  run(input: Static<Takes>, on: Home): Promise<Record<string, unknown>>
}

const command = <const Takes extends TObject>(takes: Takes, run: Command<Takes>['run']) =>
  ({ takes, run }) as unknown as Command

async function needTeam(teamId: string, on: Home): Promise<void> {
  if (!(await on.store.team(teamId)))
    throw fault('teamUnknown', { message: `There is no team ${teamId} in the ${on.environment} environment.` })
}

const checkTag = check(TagWrite)

/** What an operator does in one environment, by the words of the command line. */
const commands: Record<string, Command> = {
  'team create': command(Type.Object({ name: Text }), ({ name }, on) => createTeam(on, name, operator)),

  'tag create': command(Type.Object({ team: Text, name: Text, domain: Text }), async ({ team, name, domain }, on) => {
    const issues = checkTag({ name, domain })
    if (issues.length > 0) throw badRequest(...issues)
    await needTeam(team, on)
    const { tagId, tagUrl } = await createTag(on, team, { by: operator }, { name, domain })
    return { tagId, tagUrl }
  }),

  'team list': command(Type.Object({}), async (_, on) => {
    const teams = await on.store.teams()
    return { teams: teams.map(({ teamId, name, createdAt }) => ({ teamId, name, createdAt })) }
  }),

  'application pending': command(Type.Object({}), async (_, on) => {
    const waiting = await on.store.accounts.unapproved()
    const shown = waiting.map((application) => ({ teamId: application.teamId, ...showApplication(application, []) }))
    return { applications: shown }
  }),

  'application approve': command(Type.Object({ id: Text }), async ({ id }, on) => {
    const { applicationId, teamId, name } = await approveApplication(on, id, { by: operator })
    return { applicationId, teamId, name }
  }),

  'email pending': command(Type.Object({}), async (_, on) => ({ emails: await waitingEmails(on) })),

  'email link': command(Type.Object({ person: Text }), ({ person: personId }, on) =>
    makeEmailLink(on, { baseUrl: on.baseUrl, personId }, { by: operator }),
  ),

  'token create': command(
    Type.Object({ team: Text, scopes: Type.Optional(Text), expires: Type.Optional(Text) }),
    async ({ team, scopes, expires }, on) => {
      const asked = {
        teamId: team,
        ...(scopes !== undefined && { scopes: scopes.split(',').map((scope) => scope.trim()) }),
        ...(expires !== undefined && { expiresInMs: parseDuration(expires) }),
      }
      return createToken(on, asked, operator)
    },
  ),

  'token revoke': command(Type.Object({ id: Text }), async ({ id }, on) => {
    await revokeToken(on, id, operator)
    return { tokenId: id }
  }),

  'policy publish': command(
    Type.Object({ type: Text, version: Text, required: Type.Optional(Type.Boolean()) }),
    async ({ required = false, ...name }, on) => publishPolicy(on, { ...readPolicyName(name), required }, operator),
  ),

  'policy list': command(Type.Object({}), async (_, on) => {
    const published = await on.store.policies()
    const latest = latestOf(published)
    return { policies: published.map((policy) => ({ ...policy, latest: latest.includes(policy) })) }
  }),

  'key rotate': command(
    Type.Object({ what: Type.Enum(['sealing', 'team']), team: Type.Optional(Text) }),
    async (input, on) => rotateKeys(input, on),
  ),
}

/** Runs a command. Throws a fault for what the caller did wrong. */
export async function runCommand({ command: words, input }: Call, on: Home): Promise<Record<string, unknown>> {
  const known = commands[words]
  if (!known) throw fault('notFound', { message: `There is no command ${words}.` })
  const issues = check(known.takes)(input)
  if (issues.length > 0) throw badRequest(...issues)
  return known.run(input as never, on)
}

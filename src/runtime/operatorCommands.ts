import type { AccountMails } from '#account/accountMails.ts'
import { approveApplication, showApplication } from '#account/application.ts'
import { createEmailLink, findPendingEmailChanges } from '#account/emailChange.ts'
import { createResetLink } from '#account/passwordReset.ts'
import { createSignInLink } from '#account/signInLink.ts'
import { createTeam } from '#account/team.ts'
import { createToken, parseDuration, revokeToken } from '#account/token.ts'
import type { OperatorCall } from '#cli/operatorCall.ts'
import { type DashboardLanguage, dashboardLanguages } from '#contract/dashboardLanguage.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { PolicyUrl } from '#contract/policy.ts'
import { type Static, type TObject, Type } from '#contract/schema.ts'
import { TagWrite } from '#contract/tag.ts'
import { compileValidator } from '#contract/validator.ts'
import { GivenVendorList } from '#contract/vendorList.ts'
import { latestVersions, parsePolicyName, publishPolicy, withdrawPolicy } from '#policy/policy.ts'
import { createTag } from '#tag/tag.ts'
import type { EnvironmentStore } from './environmentStore.ts'
import { showVendorList, updateVendorList } from './givenVendorList.ts'
import { rotateKey } from './keyRotation.ts'

const Text = Type.String()
const Language = Type.Optional(Type.Enum(Object.keys(dashboardLanguages) as DashboardLanguage[]))
const operator = 'operator'

/** `mails` is absent without an SMTP server, and if no server is running. */
type OperatorDeps = EnvironmentStore & { mails?: AccountMails }

/** One operator command: its input schema, and its implementation for one environment. */
type OperatorCommand<Takes extends TObject = TObject> = {
  takes: Takes
  run(input: Static<Takes>, deps: OperatorDeps): Promise<Record<string, unknown>>
}

const defineCommand = <const Takes extends TObject>(takes: Takes, run: OperatorCommand<Takes>['run']) =>
  ({ takes, run }) as unknown as OperatorCommand

async function requireTeam(teamId: string, deps: EnvironmentStore): Promise<void> {
  if (!(await deps.store.team(teamId)))
    throw fault('teamUnknown', { message: `Team ${teamId} not found in the ${deps.environment} environment.` })
}

const checkTag = compileValidator(TagWrite)

/** The operator's commands in one environment, by their words on the command line. */
const operatorCommands: Record<string, OperatorCommand> = {
  'team create': defineCommand(Type.Object({ name: Text }), ({ name }, deps) => createTeam(deps, name, operator)),

  'tag create': defineCommand(
    Type.Object({ team: Text, name: Text, domain: Text }),
    async ({ team, name, domain }, deps) => {
      const issues = checkTag({ name, domain })
      if (issues.length > 0) throw badRequest(...issues)
      await requireTeam(team, deps)
      const { tagId, tagUrl } = await createTag(deps, team, { by: operator }, { name, domain })
      return { tagId, tagUrl }
    },
  ),

  'team list': defineCommand(Type.Object({}), async (_, deps) => {
    const teams = await deps.store.teams()
    return { teams: teams.map(({ teamId, name, createdAt }) => ({ teamId, name, createdAt })) }
  }),

  'sign-in': defineCommand(Type.Object({}), (_, deps) => createSignInLink(deps, deps.baseUrl)),

  'application pending': defineCommand(Type.Object({}), async (_, deps) => {
    const pending = await deps.store.accounts.pendingApplications()
    const applications = pending.map((application) => ({
      teamId: application.teamId,
      ...showApplication(application, []),
    }))
    return { applications }
  }),

  'application approve': defineCommand(Type.Object({ id: Text }), async ({ id }, deps) => {
    const { applicationId, teamId, name } = await approveApplication(deps, id, { by: operator })
    return { applicationId, teamId, name }
  }),

  'email pending': defineCommand(Type.Object({}), async (_, deps) => ({ emails: await findPendingEmailChanges(deps) })),

  'email link': defineCommand(
    Type.Object({ person: Text, language: Language }),
    async ({ person: personId, language = 'en' }, deps) => {
      const made = await createEmailLink(deps, { baseUrl: deps.baseUrl, personId }, { by: operator })
      deps.mails?.confirmEmail({ to: made.newEmail, language, key: personId }, made.url)
      return { ...made, isMailed: deps.mails !== undefined }
    },
  ),

  'person reset': defineCommand(
    Type.Object({ email: Text, language: Language }),
    async ({ email, language = 'en' }, deps) => {
      const made = await createResetLink(deps, { baseUrl: deps.baseUrl, email }, { by: operator })
      deps.mails?.resetPassword({ to: made.email, language, key: made.personId }, made.url)
      return { ...made, isMailed: deps.mails !== undefined }
    },
  ),

  'token create': defineCommand(
    Type.Object({ team: Text, scopes: Type.Optional(Text), expires: Type.Optional(Text) }),
    async ({ team, scopes, expires }, deps) => {
      const request = {
        teamId: team,
        ...(scopes !== undefined && { scopes: scopes.split(',').map((scope) => scope.trim()) }),
        ...(expires !== undefined && { expiresInMs: parseDuration(expires) }),
      }
      return createToken(deps, request, operator)
    },
  ),

  'token list': defineCommand(Type.Object({ team: Text }), async ({ team }, deps) => {
    await requireTeam(team, deps)
    const tokens = await deps.store.validTokens(team, deps.clock.now())
    return {
      tokens: tokens.map(({ tokenId, application, createdAt, expiresAt, scopes }) => ({
        tokenId,
        application,
        createdAt,
        expiresAt,
        scopes: scopes.join(','),
      })),
    }
  }),

  'token revoke': defineCommand(Type.Object({ id: Text }), async ({ id }, deps) => {
    await revokeToken(deps, id, operator)
    return { tokenId: id }
  }),

  'policy publish': defineCommand(
    Type.Object({
      type: Text,
      version: Text,
      required: Type.Optional(Type.Boolean()),
      url: Type.Optional(PolicyUrl),
    }),
    async ({ required = false, url, ...name }, deps) =>
      publishPolicy(deps, { ...parsePolicyName(name), required, url }, operator),
  ),

  'policy withdraw': defineCommand(Type.Object({ type: Text, version: Text }), async (name, deps) =>
    withdrawPolicy(deps, parsePolicyName(name), operator),
  ),

  'policy list': defineCommand(Type.Object({}), async (_, deps) => {
    const published = await deps.store.policies()
    const latest = latestVersions(published)
    return { policies: published.map((policy) => ({ ...policy, latest: latest.includes(policy) })) }
  }),

  'consent vendors update': defineCommand(Type.Object({ list: GivenVendorList }), ({ list }, deps) =>
    updateVendorList(list, deps),
  ),

  'consent vendors show': defineCommand(Type.Object({}), (_, deps) => showVendorList(deps)),

  'key rotate': defineCommand(
    Type.Object({ what: Type.Enum(['sealing', 'team']), team: Type.Optional(Text) }),
    async (input, deps) => rotateKey(input, deps),
  ),
}

/** Runs a command. Throws a Fault if the command or its input is invalid. */
export async function runOperatorCommand(
  { command: words, input }: OperatorCall,
  deps: OperatorDeps,
): Promise<Record<string, unknown>> {
  const command = operatorCommands[words]
  if (!command) throw fault('notFound', { message: `Command ${words} not found.` })
  const issues = compileValidator(command.takes)(input)
  if (issues.length > 0) throw badRequest(...issues)
  return command.run(input as never, deps)
}

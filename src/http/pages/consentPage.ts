import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import { auditChange } from '#account/accountDeps.ts'
import { grantAccess } from '#account/grantAccess.ts'
import { findMemberships, formatActor, type TeamMembership } from '#account/membership.ts'
import { interactionPath } from '#account/oauthAddresses.ts'
import { roleScopes } from '#account/roleScopes.ts'
import { isolateDirection } from '#contract/displayText.ts'
import { type CustomerScope, scopeLabels, scopes } from '#contract/scopes.ts'
import type { OAuthProviderLoader } from '#http/oauthRoutes.ts'
import type { ApplicationRecord, PersonRecord } from '#store/accounts.ts'
import { type PagesDeps, readForm, requireSignedIn, sendPage } from './accountPages.ts'
import { html } from './html.ts'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** An application's request for access to one of the person's teams. */
type AuthorizationPrompt = {
  interaction: Interaction
  application: ApplicationRecord
  person: PersonRecord
  requestedScopes: readonly CustomerScope[]
  redirectUri: URL
  teams: readonly TeamMembership[]
}

const scopeRow = (scope: CustomerScope) => html`<li>${scopeLabels[scope]} <small>${scope}</small></li>`

const teamChoice = (teams: readonly TeamMembership[], chosen: string | undefined) => html`
<label>For the team<select name="team">${teams.map(
  ({ teamId, name, role }) =>
    html`<option value="${teamId}"${teamId === chosen && html` selected`}>${name} (you are ${role})</option>`,
)}</select></label>`

type ConsentPageError = { message: string; chosen: string }

function sendConsentPage(deps: PagesDeps, prompt: AuthorizationPrompt, reply: FastifyReply, error?: ConsentPageError) {
  const { application, requestedScopes, redirectUri, teams } = prompt
  const body = html`
${error && html`<p class="error" role="alert">${error.message}</p>`}
<p>After you decide, you return to <b>${redirectUri.host}</b>.</p>
<form method="post" class="card">
<p>It will be able to:</p>
<ul class="plain">${requestedScopes.map(scopeRow)}</ul>
${teams.length > 0 ? teamChoice(teams, error?.chosen) : html`<p class="error">You are not a member of a team that it could act for.</p>`}
<p>It gets no more than your own role allows. You can end its access on your account page in the dashboard.</p>
<div class="actions">${teams.length > 0 && html`<button name="decision" value="allow">Allow</button>`}
<button class="quiet" name="decision" value="deny">Deny</button></div>
</form>`
  const title = `${isolateDirection(application.name)} asks for access`
  // `form-action` also applies to the redirect after the form, which goes to the application.
  const formTargets = [redirectUri]
  return sendPage(deps, reply, { title, body, formTargets, ...(error && { status: 403 }) })
}

const expired = html`<p>Go back to the application and start again.</p>`

/** The authorization request that this browser started, if the path names it. */
async function findInteraction(provider: OAuthProviderLoader, request: FastifyRequest, reply: FastifyReply) {
  try {
    const interaction = await (await provider()).interactionDetails(request.raw, reply.raw)
    return interaction.uid === (request.params as { uid: string }).uid ? interaction : undefined
  } catch (problem) {
    if ((problem as Error).name === 'SessionNotFound') return undefined
    throw problem
  }
}

async function loadPrompt(
  deps: PagesDeps,
  provider: OAuthProviderLoader,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AuthorizationPrompt | undefined> {
  const interaction = await findInteraction(provider, request, reply)
  const { client_id: id, scope = '', redirect_uri: uri } = (interaction?.params ?? {}) as Record<string, string>
  const application = id ? await deps.store.accounts.application(id) : undefined
  if (!interaction || !application || !uri) {
    sendPage(deps, reply, { title: 'This request has expired', status: 410, body: expired })
    return undefined
  }
  const who = await requireSignedIn(deps, request, reply)
  if (!who) return undefined
  const requestedScopes = scopes.filter((each) => scope.split(' ').includes(each))
  const teams = await findMemberships(deps, who.person)
  return { interaction, application, person: who.person, requestedScopes, redirectUri: new URL(uri), teams }
}

export function consentPageRoutes(app: FastifyInstance, deps: PagesDeps, provider: OAuthProviderLoader): void {
  type Result = Parameters<Provider['interactionResult']>[2]
  const redirectToClient = async (result: Result, request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(await (await provider()).interactionResult(request.raw, reply.raw, result), 303)

  async function allow(prompt: AuthorizationPrompt, chosen: string, request: FastifyRequest, reply: FastifyReply) {
    const { teams, requestedScopes, person, application, interaction } = prompt
    const team = teams.find(({ teamId }) => teamId === chosen)
    const granted = team ? requestedScopes.filter((scope) => roleScopes(team.role).includes(scope)) : []
    if (!team || granted.length === 0)
      return sendConsentPage(deps, prompt, reply, {
        chosen,
        message: 'Your role in this team does not allow any of this.',
      })
    const { teamId } = team
    const object = application.applicationId
    const change = { what: 'grantApplication', teamId, object, after: { scopes: granted } }
    await deps.store.write([auditChange(deps, { by: person.personId, from: request.ip }, change)])
    const actor = formatActor(person.personId, teamId)
    return redirectToClient(
      await grantAccess(await provider(), interaction, { actor, scopes: granted }),
      request,
      reply,
    )
  }

  app.get(`${interactionPath}:uid`, async (request, reply) => {
    const prompt = await loadPrompt(deps, provider, request, reply)
    if (!prompt) return reply
    const message = 'The scope parameter contains an unknown scope.'
    if (prompt.requestedScopes.length === 0)
      return redirectToClient({ error: 'invalid_scope', error_description: message }, request, reply)
    return sendConsentPage(deps, prompt, reply)
  })
  app.post(`${interactionPath}:uid`, async (request, reply) => {
    const prompt = await loadPrompt(deps, provider, request, reply)
    if (!prompt) return reply
    const fields = readForm(request)
    if (fields.get('decision') === 'allow') return allow(prompt, fields.get('team') ?? '', request, reply)
    const denied = { error: 'access_denied', error_description: 'The user denied access.' }
    return redirectToClient(denied, request, reply)
  })
}

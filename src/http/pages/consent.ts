import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import { grant } from '#account/grant.ts'
import { actorOf, type Membership, membershipsOf } from '#account/member.ts'
import { interactionPath } from '#account/oauthAddresses.ts'
import { scopesOf } from '#account/role.ts'
import { auditOf } from '#account/world.ts'
import { type CustomerScope, scopes } from '#contract/scopes.ts'
import type { Application, Person } from '#store/accounts.ts'
import type { LazyProvider } from '../oauth.ts'
import { needSignedIn } from './account.ts'
import { type PagesWorld, readForm, show } from './forms.ts'
import { html } from './html.ts'
import { meanings } from './words.ts'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** What is asked of whom: an application wants to do this for one of the person's teams. */
type Question = {
  interaction: Interaction
  application: Application
  person: Person
  wanted: readonly CustomerScope[]
  redirectUri: URL
  teams: readonly Membership[]
}

const scopeRow = (scope: CustomerScope) => html`<li>${meanings[scope]} <small>${scope}</small></li>`

const teamChoice = (teams: readonly Membership[], chosen: string | undefined) => html`
<label>For the team<select name="team">${teams.map(
  ({ teamId, name, role }) =>
    html`<option value="${teamId}"${teamId === chosen && html` selected`}>${name} (you are ${role})</option>`,
)}</select></label>`

type Said = { wrong: string; chosen: string }

function page(on: PagesWorld, question: Question, reply: FastifyReply, said?: Said) {
  const { application, wanted, redirectUri, teams } = question
  const body = html`
${said && html`<p class="wrong" role="alert">${said.wrong}</p>`}
<p>After you decide you go back to <b>${redirectUri.host}</b>.</p>
<form method="post" class="card">
<p>It will be able to:</p>
<ul class="plain">${wanted.map(scopeRow)}</ul>
${teams.length > 0 ? teamChoice(teams, said?.chosen) : html`<p class="wrong">You are in no team that it could act for.</p>`}
<p>It gets no more than your own role allows. You can end its access on the page of your account.</p>
<div class="actions">${teams.length > 0 && html`<button name="decision" value="allow">Allow</button>`}
<button class="quiet" name="decision" value="deny">Deny</button></div>
</form>`
  const title = `${application.name} asks for access`
  // A form's policy holds for where its answer leads, too: back to the application.
  const formTargets = [redirectUri.origin]
  return show(on, reply, { title, body, formTargets, ...(said && { status: 403 }) })
}

const expired = html`<p>Go back to the application and begin again.</p>`

/** The authorization request that this browser began, if it is the one that the address names. */
async function interactionOf(provider: LazyProvider, request: FastifyRequest, reply: FastifyReply) {
  try {
    const interaction = await (await provider()).interactionDetails(request.raw, reply.raw)
    return interaction.uid === (request.params as { uid: string }).uid ? interaction : undefined
  } catch (problem) {
    if ((problem as Error).name === 'SessionNotFound') return undefined
    throw problem
  }
}

async function questionOf(
  on: PagesWorld,
  provider: LazyProvider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Question | undefined> {
  const interaction = await interactionOf(provider, request, reply)
  const { client_id: id, scope = '', redirect_uri: uri } = (interaction?.params ?? {}) as Record<string, string>
  const application = id ? await on.store.accounts.application(id) : undefined
  if (!interaction || !application || !uri) {
    show(on, reply, { title: 'This request has expired', status: 410, body: expired })
    return undefined
  }
  const who = await needSignedIn(on, request, reply)
  if (!who) return undefined
  const wanted = scopes.filter((each) => scope.split(' ').includes(each))
  const teams = await membershipsOf(on, who.person)
  return { interaction, application, person: who.person, wanted, redirectUri: new URL(uri), teams }
}

export function consentRoutes(app: FastifyInstance, on: PagesWorld, provider: LazyProvider): void {
  type Result = Parameters<Provider['interactionResult']>[2]
  const goOn = async (result: Result, request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(await (await provider()).interactionResult(request.raw, reply.raw, result), 303)

  async function allow(question: Question, chosen: string, request: FastifyRequest, reply: FastifyReply) {
    const { teams, wanted, person, application, interaction } = question
    const team = teams.find(({ teamId }) => teamId === chosen)
    const granted = team ? wanted.filter((scope) => scopesOf(team.role).includes(scope)) : []
    if (!team || granted.length === 0)
      return page(on, question, reply, { chosen, wrong: 'Your role in this team allows none of that.' })
    const { teamId } = team
    const object = application.applicationId
    const told = { what: 'grantApplication', teamId, object, after: { scopes: granted } }
    await on.store.write([auditOf(on, { by: person.personId, from: request.ip }, told)])
    const actor = actorOf(person.personId, teamId)
    return goOn(await grant(await provider(), interaction, { actor, scopes: granted }), request, reply)
  }

  app.get(`${interactionPath}:uid`, async (request, reply) => {
    const question = await questionOf(on, provider, request, reply)
    if (!question) return reply
    const needed = 'Name in scope what the application wants to do.'
    if (question.wanted.length === 0) return goOn({ error: 'invalid_scope', error_description: needed }, request, reply)
    return page(on, question, reply)
  })
  app.post(`${interactionPath}:uid`, async (request, reply) => {
    const question = await questionOf(on, provider, request, reply)
    if (!question) return reply
    const fields = readForm(request)
    if (fields.get('decision') === 'allow') return allow(question, fields.get('team') ?? '', request, reply)
    const denied = { error: 'access_denied', error_description: 'The person said no.' }
    return goOn(denied, request, reply)
  })
}

import type { Provider } from 'oidc-provider'
import type { CustomerScope } from '#contract/scopes.ts'

/** A person's decision on an authorization request. */
type AuthorizationDecision = { actor: string; scopes: readonly CustomerScope[] }

/** Grants an application the scopes that the person agreed to. Returns the interaction result for the library. */
export async function grantAccess(
  provider: Provider,
  interaction: Awaited<ReturnType<Provider['interactionDetails']>>,
  { actor, scopes: granted }: AuthorizationDecision,
) {
  const { client_id: clientId, scope = '' } = interaction.params as { client_id: string; scope?: string }
  const grant = new provider.Grant({ accountId: actor, clientId })
  grant.addOIDCScope(granted.join(' '))
  const refused = scope.split(' ').filter((each) => !granted.some((scope) => scope === each))
  if (refused.length > 0) grant.rejectOIDCScope(refused.join(' '))
  const grantId = await grant.save()
  return { login: { accountId: actor, remember: false }, consent: { grantId } }
}

import type { Provider } from 'oidc-provider'
import type { CustomerScope } from '#contract/scopes.ts'

/** What a person decided on an authorization request. */
export type Decision = { actor: string; scopes: readonly CustomerScope[] }

/** Grants an application what the person agreed to, and gives the address where the flow goes on. */
export async function grant(
  provider: Provider,
  interaction: Awaited<ReturnType<Provider['interactionDetails']>>,
  { actor, scopes: granted }: Decision,
) {
  const { client_id: clientId, scope = '' } = interaction.params as { client_id: string; scope?: string }
  const made = new provider.Grant({ accountId: actor, clientId })
  made.addOIDCScope(granted.join(' '))
  const refused = scope.split(' ').filter((each) => !granted.some((scope) => scope === each))
  if (refused.length > 0) made.rejectOIDCScope(refused.join(' '))
  const grantId = await made.save()
  return { login: { accountId: actor, remember: false }, consent: { grantId } }
}

import { client } from '#contract/client.ts'
import { nearest } from '#contract/nearest.ts'
import { providerIds } from '#contract/providerIds.ts'
import type { SecretEntry, SecretType } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'
import { reach } from './api/connection.ts'
import { WrongUsage } from './call.ts'

export type SealAsked = {
  baseUrl: string
  token: string
  team: string
  provider: string
  variable: string
  type: SecretType
  value: string
}

function refuseUnknownProvider(provider: string): void {
  if (providerIds.some((id) => id === provider)) return
  const meant = nearest(provider, providerIds)
  throw new WrongUsage(`There is no provider ${provider}${meant ? `: did you mean ${meant}?` : '.'}`)
}

/** A Secret entry, sealed with the key that GET /me shows, for the environment and team of the token. */
export async function sealSecret(asked: SealAsked): Promise<SecretEntry> {
  refuseUnknownProvider(asked.provider)
  const { baseUrl, token } = asked
  const me = await reach(baseUrl, client({ baseUrl, token }).readMe())
  if (me.teamId !== asked.team)
    throw new Error(
      `The token belongs to ${me.teamId}, not to ${asked.team}: what is sealed for another team does not open.`,
    )
  return sealEntry({
    environment: me.environment,
    teamId: me.teamId,
    providerId: asked.provider,
    variable: asked.variable,
    type: asked.type,
    plaintext: asked.value,
    key: me.encryptionKey,
  })
}

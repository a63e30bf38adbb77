import { client } from '#contract/client.ts'
import { closestName } from '#contract/closestName.ts'
import { providerIds } from '#contract/providerIds.ts'
import type { SecretEntry, SecretType } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'
import { shopNames } from '#contract/shopNames.ts'
import { explainNoAnswer } from './api/connection.ts'
import { UsageError } from './operatorCall.ts'

export type SealRequest = {
  baseUrl: string
  token: string
  team: string
  provider: string
  variable: string
  type: SecretType
  value: string
}

function refuseUnknownProvider(provider: string): void {
  if ([...providerIds, ...shopNames].some((id) => id === provider)) return
  const meant = closestName(provider, providerIds)
  throw new UsageError(`Unknown provider ${provider}${meant ? `: did you mean ${meant}?` : '.'}`)
}

/** A Secret entry for the environment and team of the token, sealed with the key of GET /me. */
export async function sealSecret(request: SealRequest): Promise<SecretEntry> {
  refuseUnknownProvider(request.provider)
  const { baseUrl, token } = request
  const me = await explainNoAnswer(baseUrl, client({ baseUrl, token }).readMe())
  if (me.teamId !== request.team)
    throw new Error(
      `The token belongs to ${me.teamId}, not to ${request.team}: a team cannot decrypt a secret that is sealed for another team.`,
    )
  return sealEntry({
    environment: me.environment,
    teamId: me.teamId,
    providerId: request.provider,
    variable: request.variable,
    type: request.type,
    plaintext: request.value,
    key: me.encryptionKey,
  })
}

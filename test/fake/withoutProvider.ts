import type { ProviderId } from '#contract/providerIds.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'

/** Makes a call while the provider is removed from the catalogue. */
export async function withoutProvider<Result>(id: ProviderId, call: () => Promise<Result>): Promise<Result> {
  const catalogue: Partial<Record<ProviderId, Provider>> = providers
  const provider = catalogue[id]!
  delete catalogue[id]
  return call().finally(() => {
    catalogue[id] = provider
  })
}

import { globSync } from 'node:fs'
import type { ProviderId } from '#contract/providerIds.ts'
import { providerIds } from '#contract/providerIds.ts'
import type { MockVendor } from './vendor.ts'

const files = globSync('*.ts', { cwd: import.meta.dirname }).map((file) => file.slice(0, -'.ts'.length))
const ids = providerIds.filter((id) => files.includes(id))
const load = async (id: ProviderId) => [id, (await import(`./${id}.ts`))[id]] as const

/** The fake vendors by provider: the file `<providerId>.ts` of this folder exports one of the same name. */
export const vendors: Readonly<Partial<Record<ProviderId, MockVendor>>> = Object.fromEntries(
  await Promise.all(ids.map(load)),
)

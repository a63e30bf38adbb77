import { globSync } from 'node:fs'
import { basename } from 'node:path'
import type { ProviderExample } from '#provider/form/example.ts'

type ExampleFile = { examples?: readonly ProviderExample[] }

const names = globSync('*.ts', { cwd: import.meta.dirname }).map((file) => basename(file, '.ts'))
const load = async (name: string) => [name, ((await import(`./${name}.ts`)) as ExampleFile).examples ?? []] as const
const examples = new Map(await Promise.all(names.filter((name) => name !== 'all').map(load)))

/**
 * The examples of a provider, from `<providerId>.ts` in this folder. Empty if there is no such file. For tests,
 * benchmarks and documentation; the server does not load them.
 */
export const examplesOf = (providerId: string): readonly ProviderExample[] => examples.get(providerId) ?? []

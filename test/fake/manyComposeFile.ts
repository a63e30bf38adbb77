import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type ComposeService, deployFolder } from './composeFile.ts'

export type ManyComposeService = ComposeService & {
  profiles?: string[]
  networks: string[]
  command?: string[]
  entrypoint?: string[]
  stop_grace_period?: string
}
export type ManyComposeFile = {
  services: Record<string, ManyComposeService>
  networks: { outside: { ipam: { config: { subnet: string }[] } }; inside: { internal: boolean } }
  volumes: Record<string, unknown>
}

/** deploy/compose.many.yaml, with variables such as `${AGLET_NAME}` not replaced. */
export const readManyComposeFile = (): ManyComposeFile =>
  parse(readFileSync(join(deployFolder, 'compose.many.yaml'), 'utf8'), { merge: true })

/** The value of a variable in compose with these lines in .env. Throws the file's message for a missing one. */
export function fillVariables(value: string, variables: Readonly<Record<string, string>>): string {
  const pattern = /\$\{(\w+)(?:(:-|:\?)((?:[^{}]|\$\{\w+\})*))?\}/g
  return value.replace(pattern, (_, name: string, kind: string | undefined, rest: string = '') => {
    const given = variables[name]
    if (given) return given
    if (kind === ':?') throw new Error(rest)
    return kind === ':-' ? fillVariables(rest, variables) : ''
  })
}

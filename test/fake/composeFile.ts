import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export type ComposeService = {
  image: string
  build?: { context: string; dockerfile: string }
  environment: Record<string, string>
  volumes: string[]
  ports?: string[]
  read_only?: boolean
  tmpfs?: string[]
  cap_drop?: string[]
  security_opt?: string[]
  network_mode?: string
  healthcheck?: { test: string[] }
}
export type ComposeFile = {
  services: { aglet: ComposeService; proxy: ComposeService }
  volumes: Record<string, unknown>
}

export const deployFolder = join(import.meta.dirname, '../../deploy')

/** The services of deploy/compose.yaml, with variables such as `${AGLET_NAME}` not replaced. */
export const readComposeFile = (): ComposeFile => parse(readFileSync(join(deployFolder, 'compose.yaml'), 'utf8'))

/** The options of `podman run` for a service's restrictions. */
export const restrictionWords = ({ read_only, tmpfs = [], cap_drop = [], security_opt = [] }: ComposeService) => [
  ...(read_only ? ['--read-only'] : []),
  ...tmpfs.flatMap((path) => ['--tmpfs', path]),
  ...cap_drop.flatMap((name) => ['--cap-drop', name]),
  ...security_opt.flatMap((option) => [
    '--security-opt',
    option.replace('seccomp:./', `seccomp=${deployFolder}/`).replace(':true', ''),
  ]),
]

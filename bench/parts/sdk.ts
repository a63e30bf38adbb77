import { gzipSync } from 'node:zlib'
import { readSdkBuilds, sdkFolder } from '#manifest/sdkBuilds.ts'
import type { Part } from '../part.ts'

const gzipBytes = (text: string) => gzipSync(text, { level: 9 }).length

export const sdk: Part = {
  name: 'sdk',
  says: 'What a page loads: the browser SDK as it is built, and the module of a channel.',
  async run(_, tell) {
    const [build] = readSdkBuilds(sdkFolder)
    if (!build) throw new Error('The browser SDK is not built: npm run bundle')
    tell({ size: 'the core', who: 'Aglet', figures: { gzipBytes: gzipBytes(build.core) } })
    const modules = [...build.modules].map(([name, text]) => ({ name, bytes: gzipBytes(text) }))
    modules.sort((one, other) => other.bytes - one.bytes)
    for (const [which, one] of [
      ['the largest module', modules[0]],
      ['the middle module', modules[modules.length >> 1]],
    ] as const)
      if (one) tell({ size: `${which} (${one.name})`, who: 'Aglet', figures: { gzipBytes: one.bytes } })
  },
}

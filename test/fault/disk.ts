import { execFileSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk whose power can be cut. */
export type Disk = {
  /** The data directory on it. */
  data: string
  /** The environment variables with which the process writes to it. */
  environment: Record<string, string>
  /** From now on no write reaches it, and unsynced writes are lost. */
  cut(): void
  /** Makes the remaining data available again. The process has ended. */
  restore(): void
  close(): void
}

export type FileSystem = 'ext4' | 'xfs'

const run = (command: string, ...words: string[]) => execFileSync(command, words, { stdio: 'pipe' }).toString()
const diskMb = 512
const folder = (name: string) => mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), `aglet-${name}-`))

/** The same call for ext4 and XFS: shuts the file system down without flushing its log (flag 2). */
const shutDown = 'sysopen(my $at, shift, 0) or die $!; my $flag = pack("L", 2); ioctl($at, 0x8004587d, $flag) or die $!'

/** A separate file system in a file. Needs root, loop devices, mkfs and perl. */
export function openLoopDisk(kind: FileSystem): Disk {
  const home = folder(kind)
  const at = join(home, 'disk')
  mkdirSync(at)
  const disk = mountLoopDisk(kind, { at, image: join(home, 'image'), mb: diskMb })
  return {
    data: join(at, 'data'),
    environment: {},
    cut: disk.cut,
    restore: disk.restore,
    close() {
      disk.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A mounted disk that can lose its power and be filled. */
export type MountedDisk = SmallDisk & Pick<Disk, 'cut' | 'restore'>

/** Mounts a separate file system, stored in the file `image`, on an empty folder. */
export function mountLoopDisk(
  kind: FileSystem,
  { at, image, mb }: { at: string; image: string; mb: number },
): MountedDisk {
  run('truncate', '-s', `${mb}M`, image)
  run(`mkfs.${kind}`, '-q', image)
  const options = kind === 'xfs' ? 'loop,nouuid' : 'loop'
  let current = image
  const mount = () => run('mount', '-o', options, current, at)
  mount()
  const ballast = join(at, 'ballast')
  return {
    cut: () => void run('perl', '-e', shutDown, at),
    restore() {
      run('umount', at)
      // A container started meanwhile has a copy of the mount: the dead file system stays alive, and would be mounted again.
      if (run('losetup', '--associated', current) !== '') {
        const copy = `${current}+`
        run('cp', '--sparse=always', current, copy)
        rmSync(current)
        current = copy
      }
      mount()
    },
    fill: () => writeUntilFull(ballast),
    empty: () => rmSync(ballast, { force: true }),
    close: () => void run('umount', '--lazy', at),
  }
}

export type SmallDisk = { fill(): void; empty(): void; close(): void }

/** Mounts a file system in memory with this much space on an empty folder. Needs root. */
export function mountSmallDisk(at: string, mb: number): SmallDisk {
  run('mount', '-t', 'tmpfs', '-o', `size=${mb}M`, 'aglet-fault', at)
  const ballast = join(at, 'ballast')
  return {
    fill: () => writeUntilFull(ballast),
    empty: () => rmSync(ballast, { force: true }),
    close: () => void run('umount', '--lazy', at),
  }
}

/** A file system in memory with this much space, in its own folder. Needs root. */
export function openSmallDisk(mb: number): Pick<Disk, 'data'> & SmallDisk {
  const home = folder('small')
  const disk = mountSmallDisk(home, mb)
  return {
    ...disk,
    data: join(home, 'data'),
    close() {
      disk.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function writeUntilFull(path: string): void {
  const file = openSync(path, 'a')
  try {
    for (let bytes = 1024 * 1024; bytes >= 1; ) {
      try {
        writeSync(file, Buffer.alloc(bytes))
      } catch {
        bytes = Math.floor(bytes / 16)
      }
    }
  } finally {
    closeSync(file)
  }
}

export type Platter = Disk & {
  /** Makes this many of the next syncs fail with EIO; the writes before them never reach the disk. */
  failSyncs(count: number): void
  /** The number of failing syncs left. */
  failing(): number
}

/** A disk simulated by a library that the process preloads (`platter.c`). Needs gcc, and Linux with glibc. */
export function openPlatter(): Platter {
  const home = folder('platter')
  const library = join(home, 'platter.so')
  const copies = join(home, 'copies')
  const button = join(home, 'switch')
  const data = join(home, 'data')
  mkdirSync(copies)
  run('gcc', '-shared', '-fPIC', '-O2', '-o', library, join(import.meta.dirname, 'platter.c'), '-ldl', '-lpthread')
  const file = openSync(button, 'w+')
  const failSyncs = (count: number) => void writeSync(file, Int32Array.of(count), 0, 4, 0)
  failSyncs(0)
  return {
    data,
    environment: { LD_PRELOAD: library, PLATTER: copies, PLATTER_SWITCH: button },
    failSyncs,
    failing() {
      const left = new Int32Array(1)
      readSync(file, left, 0, 4, 0)
      return Math.max(0, left[0]!)
    },
    cut() {},
    restore: () => putBack(data, copies),
    close() {
      closeSync(file)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Restores the state of the last sync: files that were never synced are gone, others have their synced content. */
function putBack(data: string, copies: string): void {
  for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
    const path = join(data, name)
    if (/\.(db(-wal|-shm)?|seg)$/.test(path)) rmSync(path)
  }
  for (const copy of readdirSync(copies)) copyFileSync(join(copies, copy), copy.replaceAll('%', '/'))
}

function lacks(what: string, open: () => Pick<Disk, 'close'>): string | false {
  try {
    open().close()
    return false
  } catch (error) {
    return `this machine cannot make ${what}: ${String((error as Error).message)
      .split('\n')
      .slice(0, 2)
      .join(' ')}`
  }
}

/** Why a kind of disk cannot be created here; false if it can. */
export const whyNot = {
  ext4: () => lacks('an ext4 disk of its own (root, loop devices, mkfs.ext4, perl)', () => openLoopDisk('ext4')),
  xfs: () => lacks('an XFS disk of its own (root, loop devices, xfsprogs, perl)', () => openLoopDisk('xfs')),
  small: () => lacks('a small tmpfs (root)', () => openSmallDisk(16)),
  platter: () => lacks('a disk by a preloaded library (gcc, glibc)', openPlatter),
}

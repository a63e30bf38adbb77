import { randomBytes } from 'node:crypto'

/** Passwords of one cluster: any user of the machine can reach its ports. */
export type ClusterPasswords = { superuser: string; replicator: string; aglet: string; restApi: string }

const password = () => randomBytes(18).toString('base64url')
export const makePasswords = (): ClusterPasswords => ({
  superuser: password(),
  replicator: password(),
  aglet: password(),
  restApi: password(),
})

/** The settings of a node's Patroni. Ports are on 127.0.0.1. */
export type PatroniNode = {
  name: string
  /** The listening ports of the server and of Patroni's API. */
  port: number
  restPort: number
  /** The ports announced to the other nodes. */
  announced: { port: number; restPort: number }
  etcdPort: number
  data: string
  sockets: string
}

export type PatroniSettings = {
  passwords: ClusterPasswords
  binFolder: string
  /** Whether each commit waits for a standby. False for the negative control, which may lose acknowledged data. */
  isSynchronous: boolean
  leaseSeconds?: number
  /** Server settings, added to those below. */
  parameters: Readonly<Record<string, string>>
}

/**
 * A failover takes about `ttl` after the loss of a node, and a second after the loss of its server alone. Patroni 3.0 of
 * Debian 12 accepts these; from 3.1 on it raises `ttl` to 20 and `retry_timeout` to 3.
 */
const timesOfFailover = { ttl: 6, loop_wait: 1, retry_timeout: 2, primary_start_timeout: 0 }

const synchronous = { synchronous_mode: true, synchronous_mode_strict: true, synchronous_node_count: 1 }

/**
 * A disconnected standby is noticed after `wal_sender_timeout`: until then commits wait for it. After a promotion, commits
 * wait until a standby follows: it retries after `wal_retrieve_retry_interval`, which is five seconds by default, if the new
 * primary had no slot for it yet.
 */
const parameters = {
  max_connections: '200',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  wal_keep_size: '256MB',
  wal_log_hints: 'on',
  // The shared memory of a killed server is deleted with its folder.
  dynamic_shared_memory_type: 'mmap',
  hot_standby: 'on',
  wal_sender_timeout: '3s',
  wal_receiver_timeout: '3s',
  wal_retrieve_retry_interval: '200ms',
  tcp_keepalives_idle: '3',
  tcp_keepalives_interval: '1',
  tcp_keepalives_count: '3',
  password_encryption: 'scram-sha-256',
}

/**
 * The configuration of one node. JSON is valid YAML. The server's own settings take effect at the first start, and are then
 * stored in etcd. Source: https://patroni.readthedocs.io/en/rel_3_0/SETTINGS.html
 */
export function patroniConfig(node: PatroniNode, settings: PatroniSettings): string {
  const { passwords, binFolder, isSynchronous, leaseSeconds: ttl = timesOfFailover.ttl } = settings
  const hosts = ['127.0.0.1/32', '::1/128']
  const pgHba = [
    'local all all scram-sha-256',
    'local replication replicator scram-sha-256',
    ...hosts.flatMap((host) => [
      `host all all ${host} scram-sha-256`,
      `host replication replicator ${host} scram-sha-256`,
    ]),
  ]
  return JSON.stringify({
    scope: 'aglet',
    name: node.name,
    restapi: {
      listen: `127.0.0.1:${node.restPort}`,
      connect_address: `127.0.0.1:${node.announced.restPort}`,
      authentication: { username: 'patroni', password: passwords.restApi },
    },
    ctl: { authentication: { username: 'patroni', password: passwords.restApi } },
    // Uses etcd API version 2: with version 3, a leader of Patroni 3.0.2 that was suspended overwrites the key of its
    // successor (https://github.com/patroni/patroni/pull/2689). Member discovery is off, so that a test's proxy in front of
    // etcd is not bypassed.
    etcd: { hosts: [`127.0.0.1:${node.etcdPort}`], use_proxies: true },
    bootstrap: {
      dcs: {
        ...timesOfFailover,
        ttl,
        // Without etcd, the leader continues as long as it reaches every other node.
        failsafe_mode: true,
        ...(isSynchronous && synchronous),
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: { ...parameters, ...settings.parameters } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${node.port}`,
      connect_address: `127.0.0.1:${node.announced.port}`,
      data_dir: node.data,
      bin_dir: binFolder,
      pgpass: `${node.sockets}/pgpass`,
      use_unix_socket: true,
      use_unix_socket_repl: true,
      authentication: {
        superuser: { username: 'postgres', password: passwords.superuser },
        replication: { username: 'replicator', password: passwords.replicator },
      },
      parameters: { unix_socket_directories: node.sockets },
      pg_hba: pgHba,
    },
  })
}

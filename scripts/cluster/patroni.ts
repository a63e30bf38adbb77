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

/** What a node's Patroni is told. Ports are of 127.0.0.1. */
export type PatroniNode = {
  name: string
  /** Where the server and Patroni's API listen. */
  port: number
  restPort: number
  /** The ports that the other nodes are told. */
  announced: { port: number; restPort: number }
  etcdPort: number
  data: string
  sockets: string
}

export type PatroniSettings = {
  passwords: ClusterPasswords
  binFolder: string
  /** Each commit waits for a standby. False makes the control, which may lose what was acknowledged. */
  isSynchronous: boolean
  leaseSeconds?: number
  /** Settings of the server, added to those below. */
  parameters: Readonly<Record<string, string>>
}

/**
 * A failover takes about `ttl` after the loss of a node, and a second after the loss of its server alone. Patroni 3.0 of
 * Debian 12 accepts these; from 3.1 on it raises `ttl` to 20 and `retry_timeout` to 3.
 */
const timesOfFailover = { ttl: 6, loop_wait: 1, retry_timeout: 2, primary_start_timeout: 0 }

const synchronous = { synchronous_mode: true, synchronous_mode_strict: true, synchronous_node_count: 1 }

/**
 * A standby that is cut off is noticed after `wal_sender_timeout`: until then commits wait for it. After a promotion
 * commits wait until a standby follows: it tries again after `wal_retrieve_retry_interval`, which is five seconds by default,
 * when the new primary had no slot for it yet.
 */
const parameters = {
  max_connections: '200',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  wal_keep_size: '256MB',
  wal_log_hints: 'on',
  // Shared memory of a server that was killed is deleted with its folder.
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
 * The configuration of one node. JSON is YAML. The server's own settings take effect at the first start, and are then
 * kept in etcd. Source: https://patroni.readthedocs.io/en/rel_3_0/SETTINGS.html
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
    // The API of version 2: over that of version 3 a leader of Patroni 3.0.2 that stood still overwrites the key of its
    // successor (https://github.com/patroni/patroni/pull/2689). Without discovery of other members: what stands before
    // etcd in a test stays between.
    etcd: { hosts: [`127.0.0.1:${node.etcdPort}`], use_proxies: true },
    bootstrap: {
      dcs: {
        ...timesOfFailover,
        ttl,
        // Without etcd the leader goes on as long as it reaches every other node.
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

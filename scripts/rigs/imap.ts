// npm run test:imap: reading of returned mail against a real IMAP server, Dovecot of Debian's packages (as root).
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { canInstallPackages, installPackage } from '../debian.mjs'
import { fail, root } from '../prepare.mjs'

const DOVECOT = '/usr/sbin/dovecot'
const [PORT, TLS_PORT] = [18143, 18993]
const PATIENCE_MS = 20_000
/** User and group without rights, under which Dovecot serves the mailbox. */
const [UID, GID] = [65_534, 65_534]

if (!existsSync(DOVECOT) && canInstallPackages()) installPackage('dovecot-imapd')
if (!existsSync(DOVECOT) || process.getuid?.() !== 0)
  fail('Esta prueba usa Dovecot, de los paquetes de Debian: ejecútala en Debian 12 como root.')

const work = await mkdtemp(join(tmpdir(), 'certamen-imap-'))
const mail = join(work, 'mail')
let dovecot: ChildProcess | undefined
let failed = true
try {
  for (const folder of ['base', 'state', 'mail/new', 'mail/cur', 'mail/tmp'])
    await mkdir(join(work, folder), { recursive: true })
  const certificate = join(work, 'cert.pem')
  const made = spawnSync('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1'.split(' '),
    ...['-keyout', join(work, 'key.pem'), '-out', certificate],
  ])
  if (made.status !== 0) fail(`openssl no hizo el certificado. ${made.stderr}`)
  await writeFile(join(work, 'dovecot.conf'), settings())
  for (const path of [work, mail, join(mail, 'new'), join(mail, 'cur'), join(mail, 'tmp')]) await chmod(path, 0o777)
  dovecot = spawn(DOVECOT, ['-F', '-c', join(work, 'dovecot.conf')], { stdio: 'inherit' })
  await listening()
  const vitest = spawnSync(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'imap'],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        NODE_EXTRA_CA_CERTS: certificate,
        TEST_IMAP_MAIL: mail,
        TEST_IMAP_URL: `imap://avisos:secreta@127.0.0.1:${PORT}/INBOX`,
        TEST_IMAPS_URL: `imaps://avisos:secreta@127.0.0.1:${TLS_PORT}/INBOX`,
      },
    },
  )
  failed = vitest.status !== 0
} finally {
  dovecot?.kill('SIGTERM')
  await rm(work, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)

function settings(): string {
  return `base_dir = ${work}/base
state_dir = ${work}/state
log_path = ${work}/log
protocols = imap
listen = 127.0.0.1
default_internal_user = nobody
default_internal_group = nogroup
default_login_user = nobody
first_valid_uid = 0
ssl = yes
ssl_cert = <${work}/cert.pem
ssl_key = <${work}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain
mail_location = maildir:${mail}
passdb {
  driver = static
  args = password=secreta
}
userdb {
  driver = static
  args = uid=${UID} gid=${GID} home=${work}
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${PORT}
  }
  inet_listener imaps {
    port = ${TLS_PORT}
    ssl = yes
  }
}
service anvil {
  chroot =
}
`
}

async function listening(): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(100)) {
    const isThere = await new Promise<boolean>((resolve) => {
      const probe = createConnection(PORT, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      probe.on('connect', () => probe.destroy())
    })
    if (isThere) return
  }
  fail('Dovecot no arrancó.')
}

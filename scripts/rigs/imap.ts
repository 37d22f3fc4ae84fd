// npm run test:imap reads bounces from a real IMAP server, Dovecot of Debian's packages. It needs root.
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isListening, startProgram } from '#tests/support/external-servers/program.ts'
import { certify } from '#tests/support/external-servers/proxies.ts'
import { canInstallPackages, installPackage } from '../debian.mjs'
import { fail } from '../prepare.mjs'
import { runVitestProject } from './vitest-project.ts'

const DOVECOT = '/usr/sbin/dovecot'
const [PORT, TLS_PORT] = [18143, 18993]
/** User and group without rights, under which Dovecot serves the mailbox. */
const [UID, GID] = [65_534, 65_534]

if (!existsSync(DOVECOT) && canInstallPackages()) installPackage('dovecot-imapd')
if (!existsSync(DOVECOT) || process.getuid?.() !== 0)
  fail('Esta prueba usa Dovecot, de los paquetes de Debian: ejecútala en Debian 12 como root.')

const tempFolder = await mkdtemp(join(tmpdir(), 'certamen-imap-'))
const mailFolder = join(tempFolder, 'mail')
try {
  for (const folder of ['base', 'state', 'mail/new', 'mail/cur', 'mail/tmp'])
    await mkdir(join(tempFolder, folder), { recursive: true })
  const authority = await certify(tempFolder, 'IP:127.0.0.1')
  await writeFile(join(tempFolder, 'dovecot.conf'), settings())
  for (const path of [
    tempFolder,
    mailFolder,
    join(mailFolder, 'new'),
    join(mailFolder, 'cur'),
    join(mailFolder, 'tmp'),
  ])
    await chmod(path, 0o777)
  const dovecot = await startProgram(DOVECOT, ['-F', '-c', join(tempFolder, 'dovecot.conf')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    isReady: () => isListening(PORT),
  })
  process.exitCode = runVitestProject('imap', {
    NODE_EXTRA_CA_CERTS: authority,
    TEST_IMAP_MAIL: mailFolder,
    TEST_IMAP_URL: `imap://avisos:secreta@127.0.0.1:${PORT}/INBOX`,
    TEST_IMAPS_URL: `imaps://avisos:secreta@127.0.0.1:${TLS_PORT}/INBOX`,
  })
  await dovecot.stop()
} finally {
  await rm(tempFolder, { recursive: true, force: true })
}
process.exit()

function settings(): string {
  return `base_dir = ${tempFolder}/base
state_dir = ${tempFolder}/state
log_path = ${tempFolder}/log
protocols = imap
listen = 127.0.0.1
default_internal_user = nobody
default_internal_group = nogroup
default_login_user = nobody
first_valid_uid = 0
ssl = yes
ssl_cert = <${tempFolder}/cert.pem
ssl_key = <${tempFolder}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain
mail_location = maildir:${mailFolder}
passdb {
  driver = static
  args = password=secreta
}
userdb {
  driver = static
  args = uid=${UID} gid=${GID} home=${tempFolder}
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

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSettings } from './env.server.ts'

test.each([
  [{}, 'avisos@certamen.local'],
  [{ PUBLIC_URL: 'https://feria.example' }, 'avisos@feria.example'],
  [{ PUBLIC_URL: 'https://feria.example', SMTP_URL: 'smtps://apikey:x@correo.example' }, 'avisos@feria.example'],
  [
    { PUBLIC_URL: 'https://feria.example', SMTP_URL: 'smtps://sitio%40otra.example:x@correo.example' },
    'sitio@otra.example',
  ],
  [{ SMTP_URL: 'smtps://sitio%40otra.example@correo.example', MAIL_FROM: 'hola@feria.example' }, 'hola@feria.example'],
  [{ SMTP_URL: 'smtp://100%25%zz@correo.example' }, 'avisos@certamen.local'],
])('with %j mail comes from %s', (env, address) => {
  expect(readSettings(env).mailFrom).toBe(address)
})

test.each([
  [{ SMTP_URL: 'correo.example:587' }, /SMTP_URL debe ser una dirección como smtps:/],
  [{ SMTP_URL: 'https://correo.example' }, /SMTP_URL debe ser una dirección como smtps:/],
  [{ SMTP_URL: 'smtp://' }, /SMTP_URL debe nombrar el servidor/],
  [{ DISK_FLOOR: '5' }, /DISK_FLOOR debe decir cuánto disco se deja libre/],
  [{ DISK_FLOOR: '95%' }, /DISK_FLOOR debe decir/],
  [{ MAIL_FROM: 'Avisos <avisos@feria.example>' }, /MAIL_FROM debe ser un correo como/],
  [{ HSTS: '31536000' }, /HSTS sólo vale con un PUBLIC_URL/],
  [{ HSTS: 'max-age=1', PUBLIC_URL: 'https://a.mx' }, /HSTS debe decir por cuántos segundos/],
  [{ SMTP_URL_FILE: '/no/hay' }, /SMTP_URL_FILE debe nombrar un archivo que se pueda leer \(\/no\/hay: ENOENT\)/],
  [{ SMTP_URL_FILE: '/dev/null' }, /SMTP_URL_FILE nombra un archivo vacío/],
  [{ SMTP_URL_FILE: '/x', SMTP_URL: 'smtp://a' }, /SMTP_URL y SMTP_URL_FILE dicen lo mismo de dos modos/],
  [{ SECOND_FACTOR: 'yes' }, /SECOND_FACTOR debe ser suggested .* o required/],
])('%j stops the start', (env, line) => {
  expect(() => readSettings(env)).toThrow(line)
})

test('a setting with a secret may stand in a file, which is checked like the setting itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-ajustes-'))
  try {
    const secret = 'x'.repeat(40)
    await writeFile(join(folder, 'secreto'), `${secret}\n`)
    await writeFile(join(folder, 'base'), 'postgres://sitio:clave@base/sitio\n')
    const given = {
      SESSION_SECRET_FILE: 'secreto',
      DATABASE_URL_FILE: join(folder, 'base'),
      BACKUP_KEY_FILE: 'secreto',
    }
    const settings = readSettings(given, folder)
    expect([settings.sessionSecret, settings.backupKey]).toEqual([secret, secret])
    expect(settings.databaseUrl).toBe('postgres://sitio:clave@base/sitio')
    await writeFile(join(folder, 'corto'), 'abc')
    expect(() => readSettings({ SESSION_SECRET_FILE: 'corto' }, folder)).toThrow(
      /SESSION_SECRET debe tener al menos 32/,
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})

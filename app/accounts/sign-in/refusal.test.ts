import { expect, test } from 'vitest'
import { ORGANISER_REFUSAL_MESSAGE, signInOrRefusal } from './refusal.ts'

const submit = (intent: string) => {
  const body = new URLSearchParams({ hacer: intent, correo: 'eva@comite.example' })
  const request = new Request('https://feria.example/organizadores', { method: 'POST', body })
  return signInOrRefusal(request, () => Promise.reject(new TypeError('Failed to fetch')))
}

test('without an answer the password form refuses as always, and the second step blames the connection', async () => {
  expect(await submit('entrar')).toMatchObject({
    data: { message: ORGANISER_REFUSAL_MESSAGE, email: 'eva@comite.example' },
    init: { status: 503 },
  })
  for (const intent of ['llave', 'segundo', 'respaldo', 'segundo-llave'])
    expect(await submit(intent), intent).toMatchObject({ data: { message: expect.stringMatching(/^No llegó/) } })
  await expect(submit('aplazar')).rejects.toThrow('Failed to fetch')
})

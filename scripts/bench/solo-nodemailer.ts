// Sends messages by nodemailer alone, from memory, in a separate process.
// Arguments: URL of the mail server, connections, messages, characters of HTML.
import { createTransport } from 'nodemailer'

const [url = '', connections = '', count = '', html = ''] = process.argv.slice(2)
const transport = createTransport({ pool: true, maxConnections: Number(connections), maxMessages: 500, url })
let left = Number(count)
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (left-- > 0)
      await transport.sendMail({
        from: { name: 'Señorita Azahares', address: 'avisos@azahares.example' },
        to: `a${left}@ejemplo.mx`,
        subject: 'Tu contraseña de Señorita Azahares cambió',
        text: 'Tu contraseña cambió.',
        html: `<p>${'á'.repeat(Number(html))}</p>`,
      })
  }),
)
transport.close()

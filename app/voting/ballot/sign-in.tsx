import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Form } from 'react-router'
import { type RespuestaDeEntrada, readCodigo, readCorreo } from '#app/accounts/schema.ts'
import { announceSesion } from '#app/accounts/sessions/browser-signals.ts'
import type { Trabajo } from '#app/core/http/proof-of-work.ts'
import { TextField } from '#app/ui/forms/field.tsx'
import { Button, buttonLook } from '#app/ui/primitives/button.tsx'
import { DireccionDeCorreo } from '#app/ui/primitives/email-address.tsx'
import { rememberVoto } from './remembered-vote.ts'
import { type EntradaPedida, MENSAJES_DE_ENTRADA } from './schema.ts'
import styles from './sign-in.module.css'
import { useTrabajo } from './use-sign-in-challenge.ts'

/** Another code may be asked for after this time. */
const OTRO_MS = 30_000
/** The address is kept under this name while the visitor reads mail, in this tab alone. */
const CORREO_GUARDADO = 'certamen.voto'

interface Props {
  vote: number
  /** The id of the candidate whom the page shows at that place. */
  candidata: string | undefined
  google: boolean
  /** The answer to a form that was sent without this script. */
  pedida: EntradaPedida | undefined
  /** Called once the visitor is signed in: the vote goes on. */
  onDentro: () => void
}

interface Pedido {
  correo: string
  /** When the code was asked for, by this device. */
  atMs: number
}

/** A voter's way in: an address, and the six digits that were sent to it. */
export function Entrada({ vote, candidata, google, pedida, onDentro }: Props) {
  const [pedido, setPedido] = useState<Pedido | undefined>(
    pedida?.enviado ? { correo: pedida.correo, atMs: 0 } : undefined,
  )
  const [error, setError] = useState(pedida?.error)
  const [busy, setBusy] = useState(false)
  const { take, again, trabaja } = useTrabajo()
  const codigo = useRef<HTMLInputElement>(null)
  const correo = useRef<HTMLInputElement>(null)

  // The page may have been loaded again while the visitor read the mail.
  useEffect(() => {
    const kept = recall()
    if (kept) setPedido(kept)
  }, [])
  const enviadoA = pedido?.correo
  useEffect(() => {
    if (enviadoA) codigo.current?.focus()
  }, [enviadoA])

  const send = async (fields: Record<string, string>) => {
    try {
      const answer = await fetch('/entrar', { method: 'POST', body: new URLSearchParams(fields) })
      return (await answer.json()) as RespuestaDeEntrada
    } catch {
      return undefined
    }
  }
  /** Nothing else is sent meanwhile. */
  const busily = async (work: () => Promise<void>) => {
    if (busy) return
    setBusy(true)
    setError(undefined)
    await work()
    setBusy(false)
  }
  const fail = (answer: Exclude<RespuestaDeEntrada, { ok: true }> | undefined, field: HTMLInputElement | null) => {
    setError(answer ? MENSAJES_DE_ENTRADA[answer.reason](answer.retrySeconds ?? 0) : MENSAJES_DE_ENTRADA.red(0))
    field?.focus()
  }

  const askFor = async (to: string) => {
    if (!readCorreo(to)) return fail({ ok: false, reason: 'correo' }, correo.current)
    if (!navigator.cookieEnabled) return fail({ ok: false, reason: 'cookies' }, correo.current)
    const ask = (trabajo: Trabajo | undefined) => send({ hacer: 'pedir', correo: to, ...trabajo })
    let answer = await ask(await take())
    // The cookie of a page that stood open for long has run out: with a new one it is known whether this browser keeps any.
    if (answer?.ok === false && answer.reason === 'cookies') answer = await ask(await take())
    // More was asked for meanwhile, or what was done had run out.
    if (answer?.ok === false && answer.reason === 'trabajo' && answer.reto) {
      const trabajo = await again(answer.reto)
      if (trabajo) answer = await ask(trabajo)
    }
    if (!answer?.ok) return fail(answer, correo.current ?? codigo.current)
    const next = { correo: readCorreo(to)!, atMs: Date.now() }
    remember(next)
    setPedido(next)
    if (codigo.current) {
      codigo.current.value = ''
      codigo.current.style.removeProperty('--escritos')
    }
  }
  const enter = async (digits: string) => {
    if (!pedido) return
    if (!readCodigo(digits)) return fail({ ok: false, reason: 'credenciales' }, codigo.current)
    const answer = await send({ hacer: 'codigo', correo: pedido.correo, codigo: digits })
    if (!answer?.ok) {
      fail(answer, codigo.current)
      codigo.current?.select()
      return
    }
    remember(undefined)
    announceSesion()
    onDentro()
  }
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    void busily(() => (pedido ? enter(String(form.get('codigo'))) : askFor(String(form.get('correo')))))
  }

  const action = `/misspopularidad?vote=${vote}`
  if (!pedido)
    return (
      <Form method="post" action={action} className={styles.entrada} onSubmit={onSubmit} noValidate>
        <p>Para que cada persona vote una vez, escribe tu correo: te enviaremos un código de seis dígitos.</p>
        <TextField
          ref={correo}
          id="correo-voto"
          name="correo"
          type="email"
          label="Correo electrónico"
          placeholder="nombre@ejemplo.mx"
          autoComplete="email"
          inputMode="email"
          defaultValue={pedida?.correo}
          error={error}
          required
        />
        <Button type="submit" look="main" busy={busy} name="hacer" value="pedir">
          Enviarme el código
        </Button>
        {trabaja && <Trabajando />}
        {google && (
          <a
            className={buttonLook('outline')}
            href={`/cuentas/google?next=${encodeURIComponent(action)}`}
            onClick={() => rememberVoto(vote)}
          >
            Entrar con Google
          </a>
        )}
      </Form>
    )
  return (
    <Form method="post" action={action} className={styles.entrada} onSubmit={onSubmit} noValidate>
      <p>
        Escribe el código de seis dígitos que enviamos a{' '}
        <strong className={styles.correo}>
          <DireccionDeCorreo correo={pedido.correo} />
        </strong>
        .
      </p>
      <input type="hidden" name="correo" value={pedido.correo} />
      <input type="hidden" name="candidata" value={candidata} />
      <TextField
        ref={codigo}
        id="codigo-voto"
        name="codigo"
        label="Código de seis dígitos"
        className={styles.codigo}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
        error={error}
        required
        onInput={(event) => {
          const digits = event.currentTarget.value.replace(/\D/g, '').slice(0, 6)
          if (event.currentTarget.value !== digits) event.currentTarget.value = digits
          event.currentTarget.style.setProperty('--escritos', String(Math.min(digits.length, 5)))
        }}
      />
      <Button type="submit" look="main" busy={busy} name="hacer" value="codigo">
        Confirmar mi voto
      </Button>
      {trabaja && <Trabajando />}
      <Otro pedido={pedido} busy={busy} onOtro={() => busily(() => askFor(pedido.correo))} />
      <p className={styles.cambiar}>
        <Button
          look="quiet"
          onClick={() => {
            remember(undefined)
            setError(undefined)
            setPedido(undefined)
          }}
        >
          Usar otro correo
        </Button>
      </p>
    </Form>
  )
}

const Trabajando = () => (
  <p className={styles.trabajando} role="status">
    Hay mucho movimiento: comprobamos que eres una persona. Toma unos segundos.
  </p>
)

/** The button for another code, half a minute after the last. */
function Otro({ pedido, busy, onOtro }: { pedido: Pedido; busy: boolean; onOtro: () => void }) {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const tick = () => setLeft(Math.max(0, Math.ceil((pedido.atMs + OTRO_MS - Date.now()) / 1_000)))
    tick()
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [pedido])
  return (
    <p className={styles.otro}>
      ¿No llegó? Revisa también el correo no deseado.{' '}
      {left > 0 ? (
        `Puedes pedir otro en 0:${String(left).padStart(2, '0')}.`
      ) : (
        <Button
          type="submit"
          look="quiet"
          busy={busy}
          name="hacer"
          value="pedir"
          formNoValidate
          onClick={(event) => {
            event.preventDefault()
            onOtro()
          }}
        >
          Pedir otro código
        </Button>
      )}
    </p>
  )
}

// In a browser that keeps nothing, the visitor types the address again.
function recall(): Pedido | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(CORREO_GUARDADO) ?? 'null') as Pedido | null
    // A code holds for ten minutes.
    return kept && Date.now() - kept.atMs < 600_000 ? kept : undefined
  } catch {
    return undefined
  }
}
function remember(pedido: Pedido | undefined): void {
  try {
    if (pedido) sessionStorage.setItem(CORREO_GUARDADO, JSON.stringify(pedido))
    else sessionStorage.removeItem(CORREO_GUARDADO)
  } catch {}
}

import { useEffect, useRef } from 'react'
import { Form } from 'react-router'
import { nombreDeDocumento } from '#app/inscripciones/clases.ts'
import { siguientes } from '#app/inscripciones/rules.ts'
import {
  type Documento,
  type EstadoInscripcion,
  type Inscripcion,
  MAX_NOTA_CARACTERES,
  NOMBRE_DE_ESTADO,
} from '#app/inscripciones/schema.ts'
import { cuando, fechaYHora } from '#app/platform/fechas.ts'
import { Button } from '#app/ui/button.tsx'
import { Estado } from './estado.tsx'
import styles from './juicio.module.css'
import { useUnaVez } from './use-una-vez.ts'

interface Props {
  inscripcion: Inscripcion
  /** Those that can be asked for again. */
  documentos: Documento[]
  ahora: Date
  /** The last change, once it is saved. */
  guardado: object | undefined
  /** What was sent and not saved. */
  rechazado:
    | { hacer: string; nota: string; paraPersona: boolean; estado: EstadoInscripcion | undefined; documento: string }
    | undefined
}

/** What the organisers decide about an entry, and what they decided before. */
export function Juicio({ inscripcion, documentos, ahora, guardado, rechazado }: Props) {
  const { estado, version, historia, solicitudes, correo, celular, folio } = inscripcion
  const { busy, once } = useUnaVez()
  const forms = useRef<HTMLDivElement>(null)
  // What was saved is not to be saved again.
  useEffect(() => {
    if (guardado) for (const form of forms.current?.querySelectorAll('form') ?? []) form.reset()
  }, [guardado])
  const of = (hacer: string) => (rechazado?.hacer === hacer ? rechazado : undefined)
  return (
    <>
      <div ref={forms} className={styles.formas}>
        <section aria-labelledby="decidir">
          <h2 id="decidir">Decidir</h2>
          <Form method="post" preventScrollReset className={styles.forma} onSubmit={once}>
            <input type="hidden" name="version" value={version} />
            <label htmlFor="estado">Pasa a</label>
            <select
              id="estado"
              name="estado"
              defaultValue={of('decidir')?.estado ?? siguientes(estado)[0]}
              key={estado}
            >
              {siguientes(estado).map((one) => (
                <option key={one} value={one}>
                  {NOMBRE_DE_ESTADO[one]}
                </option>
              ))}
            </select>
            <label htmlFor="nota">Nota (opcional, para la organización)</label>
            <textarea
              id="nota"
              name="nota"
              rows={3}
              maxLength={MAX_NOTA_CARACTERES}
              defaultValue={of('decidir')?.nota}
            />
            <label className={styles.casilla}>
              <input
                type="checkbox"
                name="paraPersona"
                value="si"
                defaultChecked={of('decidir')?.paraPersona ?? false}
              />
              La persona también la lee, con su folio
            </label>
            <Button type="submit" look="outline" busy={busy} name="hacer" value="decidir">
              Guardar decisión
            </Button>
          </Form>
        </section>
        <section aria-labelledby="pedir">
          <h2 id="pedir">Pedir un documento de nuevo</h2>
          {solicitudes.length > 0 && (
            <ul className={styles.pedidos}>
              {solicitudes.map(({ id, clase, lado, nota, pedidaAt }) => (
                <li key={id}>
                  <b>{nombreDeDocumento(clase, lado)}</b>, pedido {cuando(pedidaAt, ahora)}: {nota}
                </li>
              ))}
            </ul>
          )}
          <p className={styles.aviso}>
            {correo ? (
              `Le llega un correo a ${correo}.`
            ) : (
              <>
                No dejó correo: llámale al {celular} y dile que lo suba en la página «Tu folio», con el folio{' '}
                <b>{folio}</b>.
              </>
            )}
          </p>
          <Form method="post" preventScrollReset className={styles.forma} onSubmit={once}>
            <input type="hidden" name="version" value={version} />
            <label htmlFor="documento">Documento</label>
            <select id="documento" name="documento" defaultValue={of('pedir')?.documento}>
              {documentos.map(({ id, clase, lado }) => (
                <option key={id} value={id}>
                  {nombreDeDocumento(clase, lado)}
                </option>
              ))}
            </select>
            <label htmlFor="falta">Qué le falta (lo lee la persona)</label>
            <textarea
              id="falta"
              name="nota"
              rows={3}
              maxLength={MAX_NOTA_CARACTERES}
              required
              defaultValue={of('pedir')?.nota}
            />
            <Button type="submit" look="outline" busy={busy} name="hacer" value="pedir">
              Pedir de nuevo
            </Button>
          </Form>
        </section>
      </div>
      <section aria-labelledby="historia" className={styles.historia}>
        <h2 id="historia">Historia</h2>
        {historia.length === 0 && <p>Nadie ha cambiado nada todavía.</p>}
        <ol>
          {historia.map(({ id, at, de, a, nota, paraPersona, quien }, place) => (
            <li key={id}>
              <p>
                <Estado estado={de} /> → <Estado estado={a} />
              </p>
              {nota && <p className={styles.nota}>{nota}</p>}
              {nota && paraPersona && (
                <p className={styles.paraPersona}>
                  {place === 0
                    ? 'La persona la lee con su folio.'
                    : 'La persona podía leerla con su folio hasta el cambio siguiente.'}
                </p>
              )}
              <p className={styles.quien}>
                {quien ?? 'La persona inscrita'},{' '}
                <time dateTime={at.toISOString()} title={fechaYHora(at)}>
                  {fechaYHora(at)}
                </time>
              </p>
            </li>
          ))}
        </ol>
        {historia[0]?.a === estado && historia[0].de !== estado && (
          <Form method="post" preventScrollReset onSubmit={once}>
            <input type="hidden" name="version" value={version} />
            <Button type="submit" look="quiet" busy={busy} name="hacer" value="deshacer">
              Deshacer el último cambio
            </Button>
          </Form>
        )}
      </section>
    </>
  )
}

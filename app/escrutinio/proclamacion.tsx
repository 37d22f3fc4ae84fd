import { Form, useNavigation } from 'react-router'
import type { GanadoraPuesta } from '#app/ajustes/schema.ts'
import { Banner } from '#app/ui/banner.tsx'
import { Button } from '#app/ui/button.tsx'
import { SelectField, TextAreaField, TextField } from '#app/ui/field.tsx'
import { Dicho, type Hecho } from './dicho.tsx'
import { cuando } from './rafagas.tsx'
import styles from './resultados.module.css'
import { cuantos, primerLugar } from './rules.ts'
import type { Cierre } from './schema.ts'

interface Props {
  anio: number
  acta: Cierre
  recuento: { fallas: string[] } | undefined
  proclamacion: {
    puesta: GanadoraPuesta | undefined
    version: number
    quien: string | null | undefined
    at: string | undefined
    escrita: string | undefined
  }
  dicho: Hecho | undefined
}

/** Who is proclaimed on /misspopularidad: set by a click from the sealed act, and taken back by another. */
export function Proclamacion({ anio, acta, recuento, proclamacion, dicho }: Props) {
  const busy = useNavigation().state === 'submitting'
  const { puesta, version, quien, at, escrita } = proclamacion
  const leading = primerLugar(acta.candidatas)
  const [first] = leading
  const votos = acta.candidatas.find(({ nombre }) => nombre === first)?.votos ?? 0
  const isWhole = acta.fallas.length === 0 && recuento?.fallas.length === 0
  return (
    <section aria-labelledby="proclamacion">
      <h2 id="proclamacion">Proclamación de la ganadora</h2>
      <div className={styles.proclamacion}>
        <Dicho dicho={dicho} de={['proclamar', 'retirar']} />
        {puesta ? (
          <p>
            Miss Popularidad proclama a <strong>{puesta.candidata}</strong>
            {at && `: así lo puso ${quien ?? 'alguien'} el ${cuando(at)}`}.
          </p>
        ) : (
          <p>
            {escrita ? (
              <>
                Miss Popularidad proclama a <strong>{escrita}</strong>, como dice el contenido de la edición.
              </>
            ) : (
              'Miss Popularidad todavía no proclama a nadie.'
            )}
          </p>
        )}
        {!first ? (
          <p>El acta no tiene ningún voto que cuente: no hay a quién proclamar.</p>
        ) : leading.length === 1 ? (
          <p>
            Según el acta ganó {first}, con {cuantos(votos, 'voto')}.
          </p>
        ) : (
          <Banner
            tone="bad"
            message={`Según el acta hay empate en el primer lugar, con ${cuantos(votos, 'voto')} cada una: ${leading.join(', ')}.`}
          >
            <p>Lo resuelve el comité organizador: el sitio no elige. Lo que decidas queda en la bitácora.</p>
          </Banner>
        )}
        {first && !isWhole && (
          <p>
            El recuento encontró diferencias, así que nadie se proclama desde aquí. Lo que el comité decida se escribe
            bajo <code>ganadora</code> en <code>content/{anio}/popularidad.yaml</code>.
          </p>
        )}
        {first && isWhole && (
          <Form method="post" action="#proclamacion" preventScrollReset className={styles.proclama} key={version}>
            <input type="hidden" name="version" value={version} />
            {leading.length === 1 ? (
              <input type="hidden" name="candidata" value={first} />
            ) : (
              <SelectField
                id="proclamada"
                name="candidata"
                label="Ganadora, por decisión del comité"
                options={[['', 'Elige…'], ...leading]}
                defaultValue={puesta?.candidata ?? ''}
                required
              />
            )}
            <details open={puesta !== undefined || undefined}>
              <summary>Lo que dice su tarjeta</summary>
              <div className={styles.tarjeta}>
                <p className={styles.nota}>Lo que dejes vacío lo pone el contenido de la edición.</p>
                <TextField
                  id="nombreCorto"
                  name="nombreCorto"
                  label="Nombre corto"
                  maxLength={60}
                  autoComplete="off"
                  defaultValue={puesta?.nombreCorto}
                />
                <TextAreaField
                  id="mensaje"
                  name="mensaje"
                  label="Su agradecimiento"
                  rows={3}
                  maxLength={600}
                  defaultValue={puesta?.mensaje}
                />
                <TextField
                  id="facebook"
                  name="facebook"
                  type="url"
                  label="Su página de Facebook"
                  autoComplete="off"
                  defaultValue={puesta?.facebook}
                />
                <TextField
                  id="instagram"
                  name="instagram"
                  type="url"
                  label="Su página de Instagram"
                  autoComplete="off"
                  defaultValue={puesta?.instagram}
                />
              </div>
            </details>
            <Button type="submit" look="outline" busy={busy} name="hacer" value="proclamar">
              {leading.length > 1
                ? 'Proclamar a la elegida'
                : puesta
                  ? 'Guardar la proclamación'
                  : `Proclamar a ${first}`}
            </Button>
          </Form>
        )}
        {puesta && (
          <Form method="post" action="#proclamacion" preventScrollReset>
            <input type="hidden" name="version" value={version} />
            <Button type="submit" look="quiet" busy={busy} name="hacer" value="retirar">
              {escrita
                ? `Retirar la proclamación: la página dirá ${escrita}, como el contenido`
                : 'Retirar la proclamación'}
            </Button>
          </Form>
        )}
      </div>
    </section>
  )
}

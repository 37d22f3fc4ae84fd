import { memo } from 'react'
import type { DiaDelPrograma } from '#app/cms/schema/programme.ts'
import { Banda } from '#app/ui/ornaments/sash.tsx'
import { Foto, type Imagen } from '#app/ui/photos/photo.tsx'
import { IconoCalendario } from '#app/ui/primitives/icons.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import styles from './day.module.css'
import { estadoDe } from './rules.ts'

interface Props extends DiaDelPrograma {
  semana: string
  numero: number
  mes: string
  /** The site's clock, on the day itself. */
  ahora: Date | undefined
  esHoy?: boolean
  /** What the night of the final takes place before. */
  plaza: Imagen
}

/** One day of the fair and its events; the night of the final stands in the light. */
export const Dia = memo(function Dia({
  fecha,
  titulo,
  semana,
  numero,
  mes,
  eventos,
  ahora,
  esHoy = false,
  plaza,
}: Props) {
  const isFinal = eventos.some(({ esFinal }) => esFinal)
  const next = ahora && eventos.find((evento) => estadoDe(evento, ahora) === 'falta')
  return (
    <section id={`dia-${fecha}`} className={unir(styles.dia, isFinal && styles.final, esHoy && styles.hoy)}>
      {isFinal && <Foto imagen={plaza} sizes="100vw" className={styles.plaza} />}
      <header className={styles.hoja}>
        <h2>
          <span className={styles.semana}>{semana}</span> <span className={styles.numero}>{numero}</span>{' '}
          <span className={styles.mes}>de {mes}</span>
        </h2>
        {titulo && !isFinal && <p className={styles.titulo}>{titulo}</p>}
        {titulo && isFinal && <Banda className={styles.banda}>{titulo}</Banda>}
      </header>
      <ol className={styles.eventos}>
        {eventos.map((evento) => {
          const { id, hora, termina, que, lugar, quien, nota, inicia, esFinal } = evento
          const estado = ahora && estadoDe(evento, ahora)
          const mark = estado === 'ahora' ? 'Ahora' : evento === next ? 'Sigue' : undefined
          return (
            <li
              key={id}
              id={id}
              className={unir(styles.evento, esFinal && styles.coronacion, estado === 'paso' && styles.paso)}
            >
              <p className={styles.hora}>
                <time dateTime={inicia}>{hora}</time>
                {termina && <span> a {termina}</span>}
                {mark && <b className={unir(styles.marca, estado !== 'ahora' && styles.sigue)}>{mark}</b>}
              </p>
              <div className={styles.que}>
                <h3>{que}</h3>
                <p className={styles.lugar}>{lugar}</p>
                {quien && <p>{quien}</p>}
                {nota && <p className={styles.nota}>{nota}</p>}
              </div>
              <a href={`/programa/${id}.ics`} className={styles.agregar} aria-label={`Agregar al calendario: ${que}`}>
                <IconoCalendario />
                <span>Agregar al calendario</span>
              </a>
            </li>
          )
        })}
      </ol>
    </section>
  )
})

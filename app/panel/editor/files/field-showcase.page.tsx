import { useState } from 'react'
import { CampoDocumento } from './document-field.tsx'
import styles from './field-showcase.module.css'
import type { ValorDeFoto } from './file-field-props.ts'
import { CampoLogo } from './logo-field.tsx'
import { CampoFoto } from './photo-field.tsx'
import { CampoVideo } from './video-field.tsx'

export const meta = () => [{ title: 'Muestrario de archivos' }]

/** The fields of files, for those who work on them, with an organiser's session; the screen exists in development only. */
export default function Muestra() {
  const [foto, setFoto] = useState<ValorDeFoto>({ foto: 'inicio/ga1.jpg', alt: '', foco: [50, 50] })
  const [vacia, setVacia] = useState<ValorDeFoto>({ foto: '', alt: '', foco: [50, 50] })
  const [logo, setLogo] = useState('patrocinadores/cafe-serrano.svg')
  const [video, setVideo] = useState('inicio/fondo.mp4')
  const [documento, setDocumento] = useState('convocatoria/boletin.docx')
  const proporciones = { telefono: 4 / 5, escritorio: 16 / 9 }
  return (
    <div className={styles.muestra}>
      <h1>Muestrario de archivos</h1>
      <section>
        <h2>Fotografía puesta, chica</h2>
        <CampoFoto
          id="foto"
          valor={foto}
          onCambio={setFoto}
          descriptor={{ etiqueta: 'Primera fotografía', minimoAncho: 3_000, proporciones }}
        />
      </section>
      <section>
        <h2>Sin fotografía</h2>
        <CampoFoto
          id="vacia"
          valor={vacia}
          onCambio={setVacia}
          descriptor={{ etiqueta: 'Segunda fotografía', minimoAncho: 1_200, proporciones }}
        />
      </section>
      <section>
        <h2>Logotipo</h2>
        <CampoLogo id="logo" valor={logo} onCambio={setLogo} descriptor={{ etiqueta: 'Café Serrano' }} />
      </section>
      <section>
        <h2>Video</h2>
        <CampoVideo
          id="video"
          valor={video}
          onCambio={setVideo}
          descriptor={{ etiqueta: 'Video de la portada', tipos: ['video/mp4'] }}
          onCartel={({ ruta }) => setVacia({ ...vacia, foto: ruta })}
        />
      </section>
      <section>
        <h2>Documento</h2>
        <CampoDocumento id="documento" valor={documento} onCambio={setDocumento} descriptor={{ etiqueta: 'Boletín' }} />
      </section>
      <output id="valores">{JSON.stringify({ foto, vacia, logo, video, documento })}</output>
    </div>
  )
}

import 'katex/dist/katex.min.css'
import './formulas.css'

"""Portuguese word lists used by the rules, without accents."""

from recollect.extraction.rules.lexicon import word_set
from recollect.extraction.rules.patterns import PhraseSet

KIN = word_set(
    "mae pai pais irmao irma irmaos irmas filho filha filhos filhas esposa mulher marido namorado namorada "
    "noivo noiva companheiro companheira parceiro parceira avo avos vo vovo vovó tio tia tios primo prima "
    "primos sobrinho sobrinha sobrinhos neto neta netos sogro sogra sogros cunhado cunhada madrinha "
    "padrinho enteado enteada madrasta padrasto afilhado afilhada gemeos gemeas bebe familia cachorro "
    "cachorra cao cadela gato gata gatos gatas caes cachorros cavalo papagaio coelho hamster tartaruga "
    "passarinho ex ex-marido ex-mulher ex-namorado ex-namorada"
)
PARTNERS = word_set(
    "esposa mulher marido namorado namorada noivo noiva companheiro companheira parceiro parceira"
)
ACQUAINTANCES = word_set(
    "chefe gerente colega amigo amiga terapeuta medico medica psicologo psicologa professor professora "
    "orientador orientadora vizinho vizinha patrao patroa treinador"
)
THINGS = word_set(
    "app aplicativo aplicacao projeto projecto projetos backend frontend back-end front-end banco base api "
    "apis site servico servicos servidor sistema codigo-fonte repositorio produto plataforma stack time "
    "equipe equipa startup empresa jogo biblioteca plugin bot pipeline infraestrutura arquitetura "
    "arquitectura prazo orcamento deploy lancamento mvp prototipo loja blog tcc tese dissertacao cliente "
    "codebase beta alfa entrega apresentacao"
)
HAVABLE = KIN | word_set(
    "diabetes asma tdah autismo dislexia epilepsia ansiedade depressao insonia enxaqueca enxaquecas "
    "artrite cancer hipertensao pressao eczema psoriase endometriose alergia alergias intolerancia fobia "
    "deficiencia toc lupus fibromialgia rinite refluxo gastrite escoliose hipotireoidismo labirintite "
    "celiaca carro moto bicicleta casa apartamento barco van caminhao jardim sitio fazenda fiat gol civic "
    "corolla piano violao guitarra negocio loja padaria restaurante blog podcast canal diploma mestrado "
    "doutorado graduacao faculdade galinhas peixes calopsita atelie estudio oficina escritorio consultorio "
    "clinica galeria horta"
)
DIETS = word_set(
    "vegetariano vegetariana vegano vegana pescetariano pescetariana flexitariano flexitariana carnivoro "
    "carnivora ovolactovegetariano abstemio abstemia vegetarianos vegetarianas veganos veganas"
)
CONDITIONS = word_set(
    "diabetico diabetica celiaco celiaca asmatico asmatica dislexico dislexica autista epileptico "
    "epileptica surdo surda cego cega daltonico daltonica bipolar anemico anemica hipertenso hipertensa "
    "canhoto canhota destro destra miope deficiente"
)
STATES = word_set(
    "casado casada solteiro solteira divorciado divorciada viuvo viuva separado separada noivo noiva "
    "aposentado aposentada reformado reformada desempregado desempregada autonomo autonoma gay lesbica "
    "bissexual hetero trans catolico catolica evangelico evangelica muculmano judeu judia budista ateu "
    "ateia espirita umbandista bilingue introvertido introvertida extrovertido extrovertida freelancer sobrio sobria"
)
NATIONALITIES = word_set(
    "brasileiro brasileira portugues portuguesa angolano angolana mocambicano mocambicana cabo-verdiano "
    "italiano italiana espanhol espanhola frances francesa ingles inglesa alemao alema americano americana "
    "argentino argentina chileno chilena uruguaio uruguaia paraguaio colombiano colombiana mexicano "
    "mexicana japones japonesa chines chinesa russo russa ucraniano ucraniana holandes holandesa suico "
    "suica belga sueco sueca irlandes irlandesa carioca paulista paulistano paulistana mineiro mineira "
    "gaucho gaucha baiano baiana pernambucano cearense lisboeta portuense nordestino nordestina"
)
JOBS = word_set(
    "medico medica enfermeiro enfermeira dentista veterinario veterinaria cirurgiao cirurgia advogado "
    "advogada juiz juiza chef cozinheiro cozinheira garcom garconete padeiro padeira agricultor engenheiro "
    "engenheira dev desenvolvedor desenvolvedora programador programadora designer arquiteto arquiteta "
    "arquitecto analista consultor consultora gerente diretor diretora produtor produtora editor editora "
    "escritor escritora jornalista fotografo fotografa musico musica artista ator atriz dancarino "
    "dancarina cantor cantora professor professora tutor estudante aluno aluna universitario universitaria "
    "freelancer empresario empresaria empreendedor empreendedora fundador fundadora dono dona pesquisador "
    "pesquisadora investigador investigadora cientista biologo biologa quimico quimica fisico matematico "
    "economista historiador psicologo psicologa terapeuta psiquiatra farmaceutico farmaceutica bombeiro "
    "policial policia militar piloto motorista mecanico encanador eletricista carpinteiro pedreiro "
    "contador contadora contabilista auditor bancario bancaria corretor corretora vendedor vendedora "
    "bibliotecario tradutor tradutora interprete secretario secretaria recepcionista caixa faxineira baba "
    "mae pai estagiario estagiaria aprendiz doutorando doutoranda mestrando mestranda iniciante "
    "fisioterapeuta nutricionista publicitario publicitaria pastor padre servidor servidora funcionario "
    "funcionaria tecnico tecnica youtuber influencer cabeleireiro cabeleireira manicure barbeiro "
    "maquiadora imigrante lider doador doadora voluntario voluntaria"
)
TRAITS = DIETS | word_set("iniciante imigrante doador doadora voluntario voluntaria mae pai")
NOT_JOBS = word_set(
    "primeiro primeira terceiro terceira verdadeiro verdadeira inteiro inteira herdeiro herdeira estrangeiro "
    "estrangeira "
    "solteiro solteira parceiro parceira companheiro companheira sonhador sonhadora perdedor perdedora "
    "vencedor vencedora "
    "devedor merecedor traidor maneira brincadeira besteira brasileiro brasileira "
    "detetive pirata robo fantasma mago bruxa heroi todo fa"
)
LANGUAGES = word_set(
    "ingles espanhol frances alemao italiano portugues holandes polones polaco russo ucraniano chines "
    "mandarim japones coreano arabe hindi turco grego hebraico sueco noruegues dinamarques catalao galego "
    "romeno latim libras"
)
SCHOOLING = word_set(
    "mestrado doutorado pos pos-graduacao graduacao faculdade licenciatura mba residencia estagio bootcamp "
    "curso tecnico"
)
PLAYABLE = word_set(
    "violao guitarra piano violino violoncelo baixo bateria flauta saxofone trompete ukulele cavaquinho "
    "teclado futebol tenis basquete volei xadrez padel futsal handebol poquer"
)
STRONG = word_set(
    "apavorado apavorada aterrorizado aterrorizada devastado devastada arrasado arrasada desesperado "
    "desesperada furioso furiosa deprimido deprimida esgotado esgotada sobrecarregado sobrecarregada "
    "destruido destruida eufórico traumatizado traumatizada"
)
FEELINGS = STRONG | word_set(
    "ansioso ansiosa estressado estressada stressado stressada preocupado preocupada triste sozinho "
    "sozinha solitario solitaria assustado assustada nervoso nervosa envergonhado envergonhada culpado "
    "culpada irritado irritada frustrado frustrada inseguro insegura infeliz chateado chateada perdido "
    "perdida vazio vazia desmotivado desmotivada angustiado angustiada magoado magoada aflito aflita tenso "
    "tensa"
)
DREADS = word_set("pavor medo panico fobia horror trauma vergonha")
VERY = word_set("muito muita tao super extremamente demais bastante sempre mega bem completamente totalmente")
LIFE_VERBS = word_set(
    "aprender virar tornar mudar parar deixar perder emagrecer juntar economizar viajar visitar conhecer "
    "estudar aposentar vender melhorar fundar publicar adotar casar emigrar comprar morar viver passar ler falar "
    "ganhar voltar formar poupar engravidar"
)
MAYBE_LIFE_VERBS = word_set(
    "ser abrir escrever ter comecar terminar fazer trabalhar criar montar correr me se comer"
)
LIFE_THINGS = word_set(
    "livro romance empresa negocio startup casa filhos filho familia faculdade maratona restaurante cafe "
    "padaria loja ano anos mes meses verao carreira divida peso emprego exterior mestrado doutorado medico "
    "medica engenheiro cafeteria bar clinica estudio escola dia engenheira professor professora mudar "
    "formar aposentar curso intercambio saudavel carne acucar"
)
BOUGHT = word_set(
    "casa apartamento carro moto bicicleta barco terreno sitio piano guitarra violao camera notebook "
    "computador celular telemovel iphone macbook cachorro gato cao loja gatinho gatinha cachorrinho "
    "cachorrinha filhote"
)
EXAMS = word_set(
    "exame exames prova provas vestibular concurso enem oab selecao entrevista certificacao mestrado "
    "doutorado faculdade cadeira"
)
DEGREES = word_set(
    "direito medicina engenharia letras historia psicologia arquitetura enfermagem administracao economia "
    "biologia quimica "
    "fisica matematica jornalismo design pedagogia filosofia odontologia farmacia nutricao contabilidade veterinaria"
)
ARCHITECTURE = word_set(
    "architecture arquitetura arquitectura padrao padroes principios convencao convencoes tdd ddd solid "
    "mvc mvvm cqrs monorepo microsservicos hexagonal"
)
NOT_NAMES = NATIONALITIES | word_set(
    "eu nao sim ok um uma o a os as de do da muito bem mal novo nova aqui feliz triste vegetariano vegano "
    "catolico dev ceo cto de que e é me em no na com para por tao mais"
)
COUNTS = word_set(
    "dois duas tres quatro cinco seis sete oito nove dez onze doze treze catorze quatorze quinze dezesseis dezasseis "
    "dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem"
)
BODY = word_set(
    "coluna costas joelho joelhos quadril ombro ombros coracao punho pulso tornozelo braco perna pe mao dedo costela "
    "nariz pescoco clavicula cotovelo rim rins figado pulmao pulmoes estomago dente tendao ligamento visao audicao"
)
TREATMENTS = word_set(
    "cirurgia operacao quimio quimioterapia radioterapia transplante biopsia ressonancia cesarea sessao"
)
OCCASIONS = word_set(
    "casamento prova exame entrevista consulta cirurgia operacao voo formatura defesa festa show corrida audiencia "
    "cerimonia apresentacao"
)
LESSONS = word_set(
    "aula aulas terapia treino ensaio natacao fisioterapia ioga yoga pilates coral judo bale academia"
)
FEATS = word_set("maratona meia-maratona triatlo triatlon ironman ultramaratona caminho pico prova corrida")
WORKS = word_set(
    "livro romance tese dissertacao artigo disco album loja empresa startup restaurante app aplicativo jogo padaria "
    "cafe negocio galeria podcast"
)

FILLERS = PhraseSet.parse(
    "oi, ola, opa, ei, e ai, eai, bom dia, boa tarde, boa noite, tudo bem, bom, bem, olha, olhe, entao, e, "
    "mas, so, sabe, tipo, ah, oh, nossa, poxa, pois, pois é, sim, nao sei se ja disse mas, ok, certo, "
    "alias, a proposito, por falar nisso, so pra voce saber, so para voce saber, na verdade, sinceramente, "
    "honestamente, infelizmente, felizmente, finalmente, atualmente, hoje em dia, ultimamente, "
    "recentemente, pessoalmente, agora, tambem, contexto, pra contextualizar, para contextualizar, prazer, "
    "obrigado, obrigada, valeu, por favor, porque, como, ja que, alem disso, no momento, em geral, "
    "geralmente, pra mim, para mim, acontece que, é que, curiosidade, novidade, boa noticia, ma noticia, "
    "gente, cara, amigo, neste projeto, nesse projeto, no meu projeto, no nosso projeto, para este "
    "projeto, no projeto, na empresa, no trabalho, la em casa, aqui em casa, de novo, "
    "outra vez, mais uma vez, repito, uma coisa, so uma coisa, como eu disse, como ja disse, como falei, "
    "como te disse, "
    "um dia, algum dia, embora"
)

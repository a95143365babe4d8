"""The Portuguese words that the rules look for, without their accents."""

from recollect.extraction.rules.lexicon import listed
from recollect.extraction.rules.patterns import Phrases

KIN = listed(
    "mae pai pais irmao irma irmaos irmas filho filha filhos filhas esposa mulher marido namorado namorada "
    "noivo noiva companheiro companheira parceiro parceira avo avos vo vovo vovó tio tia tios primo prima "
    "primos sobrinho sobrinha sobrinhos neto neta netos sogro sogra sogros cunhado cunhada madrinha "
    "padrinho enteado enteada madrasta padrasto afilhado afilhada gemeos gemeas bebe familia cachorro "
    "cachorra cao cadela gato gata gatos gatas caes cachorros cavalo papagaio coelho hamster tartaruga "
    "passarinho ex ex-marido ex-mulher ex-namorado ex-namorada"
)
PARTNERS = listed(
    "esposa mulher marido namorado namorada noivo noiva companheiro companheira parceiro parceira"
)
ACQUAINTANCES = listed(
    "chefe gerente colega amigo amiga terapeuta medico medica psicologo psicologa professor professora "
    "orientador orientadora vizinho vizinha patrao patroa treinador"
)
THINGS = listed(
    "app aplicativo aplicacao projeto projecto projetos backend frontend back-end front-end banco base api "
    "apis site servico servicos servidor sistema codigo-fonte repositorio produto plataforma stack time "
    "equipe equipa startup empresa jogo biblioteca plugin bot pipeline infraestrutura arquitetura "
    "arquitectura prazo orcamento deploy lancamento mvp prototipo loja blog tcc tese dissertacao cliente "
    "codebase beta alfa entrega apresentacao"
)
HAVABLE = KIN | listed(
    "diabetes asma tdah autismo dislexia epilepsia ansiedade depressao insonia enxaqueca enxaquecas "
    "artrite cancer hipertensao pressao eczema psoriase endometriose alergia alergias intolerancia fobia "
    "deficiencia toc lupus fibromialgia rinite refluxo gastrite escoliose hipotireoidismo labirintite "
    "celiaca carro moto bicicleta casa apartamento barco van caminhao jardim sitio fazenda fiat gol civic "
    "corolla piano violao guitarra negocio loja padaria restaurante blog podcast canal diploma mestrado "
    "doutorado graduacao faculdade galinhas peixes calopsita atelie estudio oficina escritorio consultorio "
    "clinica galeria horta"
)
DIETS = listed(
    "vegetariano vegetariana vegano vegana pescetariano pescetariana flexitariano flexitariana carnivoro "
    "carnivora ovolactovegetariano abstemio abstemia vegetarianos vegetarianas veganos veganas"
)
CONDITIONS = listed(
    "diabetico diabetica celiaco celiaca asmatico asmatica dislexico dislexica autista epileptico "
    "epileptica surdo surda cego cega daltonico daltonica bipolar anemico anemica hipertenso hipertensa "
    "canhoto canhota destro destra miope deficiente"
)
STATES = listed(
    "casado casada solteiro solteira divorciado divorciada viuvo viuva separado separada noivo noiva "
    "aposentado aposentada reformado reformada desempregado desempregada autonomo autonoma gay lesbica "
    "bissexual hetero trans catolico catolica evangelico evangelica muculmano judeu judia budista ateu "
    "ateia espirita umbandista bilingue introvertido introvertida extrovertido extrovertida freelancer sobrio sobria"
)
NATIONALITIES = listed(
    "brasileiro brasileira portugues portuguesa angolano angolana mocambicano mocambicana cabo-verdiano "
    "italiano italiana espanhol espanhola frances francesa ingles inglesa alemao alema americano americana "
    "argentino argentina chileno chilena uruguaio uruguaia paraguaio colombiano colombiana mexicano "
    "mexicana japones japonesa chines chinesa russo russa ucraniano ucraniana holandes holandesa suico "
    "suica belga sueco sueca irlandes irlandesa carioca paulista paulistano paulistana mineiro mineira "
    "gaucho gaucha baiano baiana pernambucano cearense lisboeta portuense nordestino nordestina"
)
JOBS = listed(
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
TRAITS = DIETS | listed("iniciante imigrante doador doadora voluntario voluntaria mae pai")
NOT_JOBS = listed(
    "primeiro primeira terceiro terceira verdadeiro verdadeira inteiro inteira herdeiro herdeira estrangeiro "
    "estrangeira "
    "solteiro solteira parceiro parceira companheiro companheira sonhador sonhadora perdedor perdedora "
    "vencedor vencedora "
    "devedor merecedor traidor maneira brincadeira besteira brasileiro brasileira "
    "detetive pirata robo fantasma mago bruxa heroi todo fa"
)
LANGUAGES = listed(
    "ingles espanhol frances alemao italiano portugues holandes polones polaco russo ucraniano chines "
    "mandarim japones coreano arabe hindi turco grego hebraico sueco noruegues dinamarques catalao galego "
    "romeno latim libras"
)
SCHOOLING = listed(
    "mestrado doutorado pos pos-graduacao graduacao faculdade licenciatura mba residencia estagio bootcamp "
    "curso tecnico"
)
PLAYABLE = listed(
    "violao guitarra piano violino violoncelo baixo bateria flauta saxofone trompete ukulele cavaquinho "
    "teclado futebol tenis basquete volei xadrez padel futsal handebol poquer"
)
STRONG = listed(
    "apavorado apavorada aterrorizado aterrorizada devastado devastada arrasado arrasada desesperado "
    "desesperada furioso furiosa deprimido deprimida esgotado esgotada sobrecarregado sobrecarregada "
    "destruido destruida eufórico traumatizado traumatizada"
)
FEELINGS = STRONG | listed(
    "ansioso ansiosa estressado estressada stressado stressada preocupado preocupada triste sozinho "
    "sozinha solitario solitaria assustado assustada nervoso nervosa envergonhado envergonhada culpado "
    "culpada irritado irritada frustrado frustrada inseguro insegura infeliz chateado chateada perdido "
    "perdida vazio vazia desmotivado desmotivada angustiado angustiada magoado magoada aflito aflita tenso "
    "tensa"
)
DREADS = listed("pavor medo panico fobia horror trauma vergonha")
VERY = listed("muito muita tao super extremamente demais bastante sempre mega bem completamente totalmente")
LIFE_VERBS = listed(
    "aprender virar tornar mudar parar deixar perder emagrecer juntar economizar viajar visitar conhecer "
    "estudar aposentar vender melhorar fundar publicar adotar casar emigrar comprar morar viver passar ler falar "
    "ganhar voltar formar poupar engravidar"
)
MAYBE_LIFE_VERBS = listed(
    "ser abrir escrever ter comecar terminar fazer trabalhar criar montar correr me se comer"
)
LIFE_THINGS = listed(
    "livro romance empresa negocio startup casa filhos filho familia faculdade maratona restaurante cafe "
    "padaria loja ano anos mes meses verao carreira divida peso emprego exterior mestrado doutorado medico "
    "medica engenheiro cafeteria bar clinica estudio escola dia engenheira professor professora mudar "
    "formar aposentar curso intercambio saudavel carne acucar"
)
BOUGHT = listed(
    "casa apartamento carro moto bicicleta barco terreno sitio piano guitarra violao camera notebook "
    "computador celular telemovel iphone macbook cachorro gato cao loja gatinho gatinha cachorrinho "
    "cachorrinha filhote"
)
EXAMS = listed(
    "exame exames prova provas vestibular concurso enem oab selecao entrevista certificacao mestrado "
    "doutorado faculdade cadeira"
)
DEGREES = listed(
    "direito medicina engenharia letras historia psicologia arquitetura enfermagem administracao economia "
    "biologia quimica "
    "fisica matematica jornalismo design pedagogia filosofia odontologia farmacia nutricao contabilidade veterinaria"
)
ARCHITECTURE = listed(
    "architecture arquitetura arquitectura padrao padroes principios convencao convencoes tdd ddd solid "
    "mvc mvvm cqrs monorepo microsservicos hexagonal"
)
NOT_NAMES = NATIONALITIES | listed(
    "eu nao sim ok um uma o a os as de do da muito bem mal novo nova aqui feliz triste vegetariano vegano "
    "catolico dev ceo cto de que e é me em no na com para por tao mais"
)
COUNTS = listed(
    "dois duas tres quatro cinco seis sete oito nove dez onze doze treze catorze quatorze quinze dezesseis dezasseis "
    "dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem"
)
BODY = listed(
    "coluna costas joelho joelhos quadril ombro ombros coracao punho pulso tornozelo braco perna pe mao dedo costela "
    "nariz pescoco clavicula cotovelo rim rins figado pulmao pulmoes estomago dente tendao ligamento visao audicao"
)
TREATMENTS = listed(
    "cirurgia operacao quimio quimioterapia radioterapia transplante biopsia ressonancia cesarea sessao"
)
OCCASIONS = listed(
    "casamento prova exame entrevista consulta cirurgia operacao voo formatura defesa festa show corrida audiencia "
    "cerimonia apresentacao"
)
LESSONS = listed(
    "aula aulas terapia treino ensaio natacao fisioterapia ioga yoga pilates coral judo bale academia"
)
FEATS = listed("maratona meia-maratona triatlo triatlon ironman ultramaratona caminho pico prova corrida")
WORKS = listed(
    "livro romance tese dissertacao artigo disco album loja empresa startup restaurante app aplicativo jogo padaria "
    "cafe negocio galeria podcast"
)

FILLERS = Phrases.listed(
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
